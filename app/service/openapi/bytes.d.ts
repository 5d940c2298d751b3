/** `X.bin` is the content of file X, deployed as a separate module that loads when first imported. */
declare module "*.bin" {
  const bytes: ArrayBuffer
  export default bytes
}
