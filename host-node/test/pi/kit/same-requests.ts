/**
 * Compares the requests of two runs. Both ran in homes of their own, so what Pi names anew in each is taken out first: the
 * home's path and the random names of files with the full output of a command. A difference is shown as a few
 * characters around its place and not as two whole bodies.
 */
import assert from "node:assert/strict";
import type { Scene } from "./scene.ts";

/** Characters that a difference is shown with, before and after its place. */
const EXCERPT_CHARS = 80;

/** The bodies of all requests that a scene's provider received, without what differs between homes. */
export function requestBodies(scene: Scene): Record<string, unknown>[] {
  return scene.provider.requests.map(({ body }) => {
    const text = JSON.stringify(body).replaceAll(scene.home.root, "/home").replaceAll(/pi-bash-\w+\.log/g, "pi-bash.log");
    return JSON.parse(text) as Record<string, unknown>;
  });
}

/** Asserts that the bodies are equal, request by request and message by message. */
export function assertSameRequests(actual: readonly Record<string, unknown>[], expected: readonly Record<string, unknown>[]): void {
  expected.forEach((body, index) => {
    const other = actual[index];
    assert.ok(other !== undefined, `request ${index + 1} was not sent`);
    const [messages, otherMessages] = [messageTexts(body), messageTexts(other)];
    messages.forEach((message, at) => assertSameText(otherMessages[at], message, `request ${index + 1}, message ${at}`));
    assert.equal(otherMessages.length, messages.length, `request ${index + 1} has as many messages`);
    assertSameText(withoutMessages(other), withoutMessages(body), `request ${index + 1} beside its messages`);
  });
  assert.equal(actual.length, expected.length, "as many requests");
}

function assertSameText(actual: string | undefined, expected: string, where: string): void {
  if (actual === expected) return;
  assert.ok(actual !== undefined, `${where} is missing: ${expected.slice(0, EXCERPT_CHARS)}`);
  let place = 0;
  while (place < expected.length && expected[place] === actual[place]) place += 1;
  const excerpt = (text: string): string => text.slice(Math.max(0, place - EXCERPT_CHARS), place + EXCERPT_CHARS);
  assert.fail(`${where} differs at character ${place}:\n  is        ${excerpt(actual)}\n  should be ${excerpt(expected)}`);
}

function messageTexts(body: Record<string, unknown>): string[] {
  const messages: unknown = body["messages"];
  return Array.isArray(messages) ? messages.map((message) => JSON.stringify(message)) : [];
}

function withoutMessages(body: Record<string, unknown>): string {
  return JSON.stringify({ ...body, messages: [] });
}
