/** `X.bin` is the file X: a module of its own beside the Worker's, read when it is first asked for. */
declare module "*.bin" {
  const bytes: ArrayBuffer
  export default bytes
}
