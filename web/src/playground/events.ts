// Who wants to know what happens.

/** Listeners of named events, each with its data. */
export class Events<Map extends object> {
  private readonly listeners: { [K in keyof Map]?: ((data: Map[K]) => void)[] } = {};

  on<K extends keyof Map>(name: K, listener: (data: Map[K]) => void): void {
    (this.listeners[name] ??= []).push(listener);
  }

  emit<K extends keyof Map>(name: K, data: Map[K]): void {
    for (const listener of this.listeners[name] ?? []) listener(data);
  }
}
