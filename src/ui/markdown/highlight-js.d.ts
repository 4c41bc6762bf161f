declare module "highlight.js/lib/languages/*" {
  const grammar: unknown;
  export default grammar;
}
