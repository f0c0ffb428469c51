export async function createAgent(): Promise<never> {
  throw new Error('soon');
}
