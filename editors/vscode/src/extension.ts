// The extension: starts `zerograd server` and keeps it in step with the editor's settings.

import { commands, window, workspace, type ExtensionContext } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { clientOptions, laidOver, serverOptions, stop, type Chosen } from "./client";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("zerograd.restart", restart),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("zerograd.command")) {
        await restart();
      } else if (event.affectsConfiguration("zerograd")) {
        await client?.sendNotification("workspace/didChangeConfiguration", {
          settings: { zerograd: laidOver(chosen()) },
        });
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop(client);
}

async function restart(): Promise<void> {
  await stop(client);
  await start();
}

async function start(): Promise<void> {
  const wanted = chosen();
  try {
    const options = clientOptions(wanted);
    client = new LanguageClient("zerograd", "zerograd", serverOptions(wanted), options);
    await client.start();
  } catch (error) {
    void window.showErrorMessage(
      `zerograd: cannot start ${wanted.command.join(" ")} (${String(error)}); ` +
        "install it with pip install 'zerograd[lsp]', or set zerograd.command",
    );
  }
}

function chosen(): Chosen {
  const settings = workspace.getConfiguration("zerograd");
  return {
    command: settings.get<string[]>("command", ["zerograd", "server"]),
    hints: settings.get<boolean>("hints"),
    preview: settings.get<boolean>("preview"),
  };
}
