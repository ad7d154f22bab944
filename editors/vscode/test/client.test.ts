// The extension's own options against the real server: the process that they start, spoken to with
// the library that the extension speaks with. The editor is not there; this file plays its part.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type { Executable } from "vscode-languageclient/node";
import { clientOptions, laidOver, serverOptions, stop } from "../src/client";

const BROKEN = `import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
`;

interface Told {
  readonly uri: string;
  readonly diagnostics: readonly { readonly code: string; readonly range: unknown }[];
}

async function main(): Promise<void> {
  const chosen = { command: JSON.parse(process.env.ZEROGRAD_COMMAND ?? '["zerograd","server"]') };
  assert.deepEqual(laidOver({ ...chosen, hints: true, preview: undefined }), { hints: true });
  assert.throws(() => serverOptions({ command: [] }), /zerograd.command is empty/);

  const notStarted = { needsStop: () => false, stop: () => Promise.reject(new Error("not running")) };
  await stop(notStarted);
  await stop(undefined);
  await assert.rejects(stop({ ...notStarted, needsStop: () => true }), /not running/);

  const { command, args, options } = serverOptions(chosen) as Executable;
  const folder = mkdtempSync(join(tmpdir(), "zerograd-"));
  const uri = pathToFileURL(join(folder, "train.py")).href;
  const server = spawn(command, args ?? [], { cwd: folder, shell: options?.shell ?? false });
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const told = new Promise<Told>((resolve) => {
    connection.onNotification("textDocument/publishDiagnostics", resolve);
  });
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
    initializationOptions: clientOptions(chosen).initializationOptions,
  });
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "python", version: 1, text: BROKEN },
  });
  const { diagnostics } = await told;
  assert.deepEqual(
    diagnostics.map((one) => one.code),
    ["ZG101"],
  );
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  connection.dispose();
  server.stdin.end();
  assert.equal(await ended, 0);
  console.log("the extension's client started the server, which found ZG101");
}

void main();
