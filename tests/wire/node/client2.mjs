// The TypeScript client 2.x; `era` is "legacy", "auto" or a version to insist on.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { drive, era, information, overHttp, stdio, target } from "./drive.mjs";

const mode = era === "legacy" || era === "auto" ? era : { pin: era };
const client = new Client(information, { capabilities: {}, versionNegotiation: { mode } });
const transport = overHttp
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport(stdio);

await drive(client, transport, () => client.getNegotiatedProtocolVersion() ?? null);
