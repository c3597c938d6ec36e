/** What a plan's request takes from Pi beside the messages: the model and the tools. */
import type { Model } from "../contract.js";
import { jsonBytes } from "../json.js";
import type { PiExtensionApi, PiModel, PiTool } from "./pi-types.js";

/** Pi's model in the contract's terms; none where its window is unknown, so that the engine uses its own default. */
export function modelOf(model: PiModel | undefined): Model | undefined {
  if (model === undefined || !isTokenCount(model.contextWindow)) {
    return undefined;
  }
  const { provider, id, contextWindow, maxTokens } = model;
  const cost = {
    input: model.cost?.input ?? 0,
    output: model.cost?.output ?? 0,
    cacheRead: model.cost?.cacheRead ?? 0,
    cacheWrite: model.cost?.cacheWrite ?? 0,
  };
  const isPriced = Object.values(cost).every(Number.isFinite) && Object.values(cost).some((price) => price > 0);
  return { provider, id, contextWindow, ...(isTokenCount(maxTokens) ? { maxOutput: maxTokens } : {}), ...(isPriced ? { cost } : {}) };
}

function isTokenCount(value: number | undefined): value is number {
  return Number.isInteger(value) && value !== undefined && value > 0 && value <= 0xffff_ffff;
}

/** The active tools' definitions as JSON, written again only when one of them changed. */
export class ActiveTools {
  readonly #pi: PiExtensionApi;
  #tools: readonly PiTool[] = [];
  #json: Uint8Array<ArrayBuffer> = jsonBytes([]);

  constructor(pi: PiExtensionApi) {
    this.#pi = pi;
  }

  /** None where Pi does not say which tools are active. */
  json(): Uint8Array<ArrayBuffer> | undefined {
    const active = this.#pi.getActiveTools?.();
    const all = this.#pi.getAllTools?.();
    if (active === undefined || all === undefined) {
      return undefined;
    }
    const names = new Set(active);
    const tools = all.filter((tool) => names.has(tool.name));
    if (tools.length !== this.#tools.length || !tools.every((tool, place) => sameTool(tool, this.#tools[place]))) {
      this.#tools = tools;
      this.#json = jsonBytes(
        tools.map(({ name, description, parameters }) => ({ name, description: description ?? "", parameters: parameters ?? {} })),
      );
    }
    return this.#json;
  }
}

/** Pi wraps its tools anew on every call; their schemas stay the same objects. */
function sameTool(left: PiTool, right: PiTool | undefined): boolean {
  return right !== undefined && left.name === right.name && left.description === right.description && left.parameters === right.parameters;
}
