/** The table of settings: precedence, switches, secrets. */
import { describe, expect, it } from 'vitest';
import { findSetting, settingNames, settings } from '../../../src/cli/session/settings.ts';

describe('settings', () => {
  it('come from flag, environment, context and defaults, in this order', () => {
    const from = {
      options: { output: 'json' },
      env: { VMCTL_OUTPUT: 'csv' },
      context: { output: 'yaml' },
      defaults: { output: 'id' },
    };
    expect(findSetting('output', from)).toEqual({ value: 'json', origin: 'flag' });
    expect(findSetting('output', { ...from, options: {} })?.origin).toBe('environment');
    expect(findSetting('output', { ...from, options: {}, env: {} })?.origin).toBe('context');
    expect(findSetting('output', { options: {}, env: {}, defaults: from.defaults })?.value).toBe(
      'id',
    );
    expect(findSetting('output', { options: {}, env: {} })).toBeUndefined();
  });

  it('that are switches understand what people write', () => {
    const env = (value: string) =>
      findSetting('insecure', { options: {}, env: { VMCTL_INSECURE: value } });
    expect(env('1')?.value).toBe('true');
    expect(env('false')).toBeUndefined();
    expect(() => env('perhaps')).toThrow('neither true nor false');
    expect(findSetting('noInput', { options: { input: false }, env: {} })?.origin).toBe('flag');
  });

  it('that are secret have no flag and no key in the configuration', () => {
    for (const name of settingNames.filter((one) => settings[one].secret)) {
      expect(settings[name].flags).toBeUndefined();
      expect(settings[name].key).toBeUndefined();
    }
  });
});
