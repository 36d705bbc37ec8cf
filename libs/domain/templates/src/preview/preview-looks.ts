import {
  differsBySystem,
  type PreviewSystem,
  previewSystems,
  type PreviewTheme,
  type PreviewWallet,
  previewWallets,
  type RenderPass,
  type RenderTemplate,
} from '@passwright/wallet-renderers';

/** The wallet, theme and language of one picture, and the phone's system if the picture depends on it. */
export interface Look {
  readonly wallet: PreviewWallet;
  readonly theme: PreviewTheme;
  readonly system?: PreviewSystem;
  readonly lang: string;
}

/** A template and a pass to draw. */
export interface PassToShow {
  readonly template: RenderTemplate;
  readonly pass: RenderPass;
  readonly hasArtwork: boolean;
}

/** Returns the look, without `system` if the picture is the same on both systems. */
export function lookOf(subject: PassToShow, { system = 'ios27', ...look }: Look): Look {
  return look.wallet === 'apple' && differsBySystem(subject) ? { ...look, system } : look;
}

/**
 * Returns the looks of all pictures, in the order of wallets and systems.
 * @param wanted the only system to include; undefined for all systems
 */
export function looksOf(
  subject: PassToShow,
  themes: readonly PreviewTheme[],
  lang: string,
  wanted?: PreviewSystem,
): Look[] {
  const all = wanted === undefined ? previewSystems : [wanted];
  return previewWallets.flatMap((wallet) => {
    const systems = wallet === 'apple' && differsBySystem(subject) ? all : [undefined];
    return systems.flatMap((system) => {
      return themes.map((theme) => lookOf(subject, { wallet, theme, ...(system && { system }), lang }));
    });
  });
}
