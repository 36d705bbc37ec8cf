/** Plays a sound and vibrates, so that staff need not look at the screen. */
export class Feedback {
  private audio: AudioContext | null = null;

  /** Prepares the sound, which browsers allow only after a person has used the page. */
  wake(): void {
    this.audio ??= new AudioContext();
    void this.audio.resume();
  }

  /** Plays a high tone with a short vibration for a success, otherwise two low tones with two vibrations. */
  give(isGood: boolean): void {
    const [tones, vibration] = isGood
      ? [[1320], [80]]
      : [
          [220, 220],
          [120, 80, 120],
        ];
    tones.forEach((hertz, at) => this.tone(hertz, at * 0.2));
    if ('vibrate' in navigator) navigator.vibrate(vibration);
  }

  private tone(hertz: number, delaySeconds: number): void {
    if (!this.audio) return;
    const start = this.audio.currentTime + delaySeconds;
    const [oscillator, volume] = [this.audio.createOscillator(), this.audio.createGain()];
    oscillator.frequency.value = hertz;
    volume.gain.value = 0.2;
    oscillator.connect(volume).connect(this.audio.destination);
    oscillator.start(start);
    oscillator.stop(start + 0.12);
  }
}
