// How the server is started and what it is told; nothing here needs the editor's own API.

import type {
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
} from "vscode-languageclient/node";

/** What a person sets in the editor, in the words of zerograd.toml. */
export interface Chosen {
  readonly command: readonly string[];
  readonly hints?: boolean;
  readonly preview?: boolean;
}

/** The process that is started: without a shell, so that a path with spaces is one word. */
export function serverOptions(chosen: Chosen): ServerOptions {
  const [command, ...args] = chosen.command;
  if (!command) {
    throw new Error('zerograd.command is empty; write ["zerograd", "server"]');
  }
  return { command, args, options: { shell: false } };
}

/** Python files, saved or not, and the cells of notebooks. */
export function clientOptions(chosen: Chosen): LanguageClientOptions {
  return {
    documentSelector: [
      { language: "python", scheme: "file" },
      { language: "python", scheme: "untitled" },
      { language: "python", scheme: "vscode-notebook-cell" },
    ],
    initializationOptions: laidOver(chosen),
  };
}

/** The keys that the server lays over the project's settings; what is not set is not said. */
export function laidOver(chosen: Chosen): Record<string, unknown> {
  const { command: _, ...keys } = chosen;
  return Object.fromEntries(
    Object.entries(keys).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Stops a client that runs: one that could not be started would raise, and none could follow it. */
export async function stop(
  client: Pick<LanguageClient, "needsStop" | "stop"> | undefined,
): Promise<void> {
  if (client?.needsStop()) {
    await client.stop();
  }
}
