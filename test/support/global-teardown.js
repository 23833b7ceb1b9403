// oxlint-disable-next-line import/no-default-export -- Jest asks for it
export default async function globalTeardown() {
  await globalThis.cairnTestServer?.stop();
}
