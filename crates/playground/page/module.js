// The module as an object: texts and blocks go in and out through its memory (src/abi.rs).
"use strict";

class Module {
  constructor(instance) {
    this.calls = instance.exports;
    this.calls.begin();
  }
  // From its bytes, or from what was compiled before. It imports nothing.
  static async of(code) {
    const instance = await WebAssembly.instantiate(code, {});
    return new Module(instance.instance || instance);
  }
  put(text) {
    // Room first: the memory may be another one afterwards.
    const bytes = new TextEncoder().encode(text), at = this.calls.input(bytes.length);
    new Uint8Array(this.calls.memory.buffer, at, bytes.length).set(bytes);
  }
  // A copy of the last answer.
  bytes() {
    const at = this.calls.output();
    return this.calls.memory.buffer.slice(at, at + this.calls.output_length());
  }
  text() { return new TextDecoder().decode(this.bytes()); }
  json() { return JSON.parse(this.text()); }
  // Calls a function; after a panic the message of the program is told.
  call(name, ...values) {
    try {
      return this.calls[name](...values);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      throw new Error(`${this.text() || error.message} (the module has ended)`);
    }
  }
  ask(name, ...values) {
    this.call(name, ...values);
    return this.json();
  }
  check(source) { this.put(JSON.stringify(source)); return this.ask("check"); }
  open(source) { this.put(JSON.stringify(source)); return this.ask("open"); }
  suggest(text) { this.put(text); return this.ask("suggest"); }
  frame() { this.call("frame"); return this.bytes(); }
}

if (typeof exports === "object") exports.Module = Module;
