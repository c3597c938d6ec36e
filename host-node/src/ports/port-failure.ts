/**
 * How a port says "no". The transpiled component turns an error with an own `payload` into the WIT error of that case;
 * any other error would leave the component's frames abandoned, so a port throws nothing else.
 */
export class PortFailure<Payload extends { readonly tag: string }> extends Error {
  override readonly name = "PortFailure";
  readonly payload: Payload;

  constructor(payload: Payload) {
    super(payload.tag);
    this.payload = payload;
  }
}
