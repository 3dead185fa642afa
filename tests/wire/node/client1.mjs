// The TypeScript client 1.x; it speaks the protocol up to 2025-11-25.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { drive, information, overHttp, stdio, target } from "./drive.mjs";

const transport = overHttp
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport(stdio);

// Over stdio the client keeps the version to itself; a transport is told it if it wants to be.
let version = null;
const forward = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (agreed) => {
  version = agreed;
  forward?.(agreed);
};

await drive(new Client(information, { capabilities: {} }), transport, () => version);
