/** `X.bin` is the content of file X, deployed as a separate module that is loaded on its first import. */
declare module "*.bin" {
  const bytes: ArrayBuffer
  export default bytes
}
