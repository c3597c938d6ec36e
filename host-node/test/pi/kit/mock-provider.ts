/**
 * A scripted model provider on 127.0.0.1: `POST …/chat/completions` (OpenAI chat) and `POST …/messages` (Anthropic), both
 * answered with server-sent events. It keeps every request in memory and in a file and answers as the prompt's
 * script says ({@link Script}).
 *
 * Invariants: it judges nothing; whether a request was right is for the test to say, from `requests`. The port is a free
 * one that the system chose.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { estimateTokens, readPayload, type Payload, type PayloadShape } from "./payload.ts";
import { Script, ScriptError, type Answer } from "./script.ts";
import { errorAnswer, writeAnswer, type WireAnswer } from "./wire.ts";

/** A request as it came in. `payload` is its body, read. */
export interface ReceivedRequest {
  /** Running number from 1, over all shapes. */
  readonly sequence: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  readonly payload: Payload;
  /** True for Pi's own request for a summary (compaction, branch summary), which the `context` hook never sees. */
  readonly summarizing: boolean;
}

/** A running mock provider. */
export class MockProvider {
  readonly #server: Server;
  readonly #logFile: string;
  readonly #script = new Script();
  readonly #requests: ReceivedRequest[] = [];
  #callSequence = 0;

  /** Starts a server. `logFile` gets one JSON line for each request; an older file there is replaced. */
  static async start(logFile: string): Promise<MockProvider> {
    writeFileSync(logFile, "");
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return new MockProvider(server, logFile);
  }

  private constructor(server: Server, logFile: string) {
    this.#server = server;
    this.#logFile = logFile;
    server.on("request", (request, response) => void this.#serve(request, response));
  }

  /** `http://127.0.0.1:PORT`, without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** All requests so far, oldest first. */
  get requests(): readonly ReceivedRequest[] {
    return this.#requests;
  }

  /** Stops listening and drops what is still connected. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const shape = request.method === "POST" ? shapeOfPath(request.url ?? "") : undefined;
    const text = await readBody(request);
    const wire: WireAnswer =
      shape === undefined
        ? { status: 404, contentType: "application/json", body: "{}" }
        : this.#answer(shape, request, text);
    response.writeHead(wire.status, { "content-type": wire.contentType });
    if (wire.unfinished === true) response.write(wire.body);
    else response.end(wire.body);
  }

  #answer(shape: PayloadShape, request: IncomingMessage, text: string): WireAnswer {
    let received: ReceivedRequest;
    try {
      const body: unknown = JSON.parse(text);
      const payload = readPayload(body);
      received = {
        sequence: this.#requests.length + 1,
        path: request.url ?? "",
        headers: request.headers,
        body,
        payload,
        summarizing: payload.system.includes("context summarization assistant"),
      };
    } catch (error) {
      return errorAnswer(shape, 400, "invalid_request_error", `the mock provider cannot read this request: ${String(error)}`);
    }
    this.#requests.push(received);
    const { payload: _, ...logged } = received;
    appendFileSync(this.#logFile, `${JSON.stringify(logged)}\n`);
    try {
      const answer = this.#choose(received);
      const callIds = answer.kind === "calls" ? answer.calls.map(() => `call_${++this.#callSequence}`) : [];
      const { sequence, payload } = received;
      return writeAnswer(shape, answer, { sequence, model: payload.model, inputTokens: estimateTokens(payload), callIds });
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return errorAnswer(shape, 400, "invalid_request_error", error.message);
    }
  }

  #choose({ payload, summarizing, sequence }: ReceivedRequest): Answer {
    if (summarizing) return { kind: "text", text: `## Goal\nMOCK-SUMMARY ${sequence}\n` };
    const userTexts = payload.messages.filter((message) => message.role === "user").map((message) => message.text);
    return this.#script.answer(userTexts, estimateTokens(payload));
  }
}

function shapeOfPath(url: string): PayloadShape | undefined {
  const path = url.split("?")[0] ?? "";
  if (path.endsWith("/chat/completions")) return "openai-chat";
  if (path.endsWith("/messages")) return "anthropic-messages";
  return undefined;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
