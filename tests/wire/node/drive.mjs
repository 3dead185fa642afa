// What both clients do: connect, list the tools, call some of them, and print one JSON object.
// The argument is JSON: {"target": URL or [command, ...], "calls": [[name, arguments], ...], "era": ...}

const asked = JSON.parse(process.argv[2]);
export const { target, era } = asked;
export const overHttp = typeof target === "string";
export const information = { name: "toolwright-tests", version: "1" };
export const stdio = overHttp
  ? null
  : { command: target[0], args: target.slice(1), env: process.env, stderr: "inherit" };

export function told(error) {
  return { name: error.name, code: error.code ?? null, message: error.message, data: error.data ?? null };
}

async function everyTool(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : undefined);
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor);
  return tools;
}

export async function drive(client, transport, protocol) {
  const seen = { protocol: null, server: null, tools: [], results: [], notifications: [], error: null };
  client.fallbackNotificationHandler = async (sent) => void seen.notifications.push(sent);
  try {
    await client.connect(transport);
    seen.protocol = protocol();
    seen.server = client.getServerVersion() ?? null;
    seen.tools = await everyTool(client);
    for (const [name, given] of asked.calls) {
      try {
        seen.results.push(await client.callTool({ name, arguments: given }));
      } catch (error) {
        seen.results.push({ error: told(error) });
      }
    }
  } catch (error) {
    seen.error = told(error);
  }
  await client.close().catch(() => {});
  process.stdout.write(JSON.stringify(seen) + "\n", () => process.exit(0));
}
