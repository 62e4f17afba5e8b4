/** Files of Sysprep: answers for the setup of Windows. */
import type { Resource } from '../../../model/resource.ts';
import type { FirstBoot } from '../../core/hypervisor.ts';

type Initialization = Resource<'initialization'>;

/** Data that need a custom script; undefined without such data. */
export function findSysprepObstacle(initialization: Initialization): string | undefined {
  if (initialization.custom_script) return undefined;
  const { active_directory_ou: unit, domain, nic_configurations: nics = [] } = initialization;
  if (domain || unit) return 'domains for Sysprep without a custom_script';
  const hasNetwork = nics.length > 0 || initialization.dns_servers || initialization.dns_search;
  return hasNetwork ? 'network settings for Sysprep without a custom_script' : undefined;
}

/**
 * Creates the files: the custom script, or answers from the initialization. As in engines,
 * values replace names between dollar signs in the script.
 */
export function createSysprepFiles(initialization: Initialization): FirstBoot['files'] {
  const { custom_script: script } = initialization;
  const text = script ? replaceNames(script, initialization) : createAnswers(initialization);
  // Setup reads the first file, and a generalized system the second one.
  return ['Autounattend.xml', 'unattend.xml'].map((path) => ({ path, text }));
}

/** Values by their name in a custom script. */
function listValues(initialization: Initialization): Readonly<Record<string, string | undefined>> {
  return {
    ComputerName: initialization.host_name,
    AdminPassword: initialization.root_password,
    UserName: initialization.user_name,
    OrgName: initialization.org_name,
    ProductKey: initialization.windows_license_key,
    TimeZone: initialization.timezone,
    JoinDomain: initialization.domain,
    DomainName: initialization.domain,
    MachineObjectOU: initialization.active_directory_ou,
    SetupUiLanguageUiLanguage: initialization.ui_language,
    InputLocale: initialization.input_locale,
    SystemLocale: initialization.system_locale,
    UILanguage: initialization.ui_language,
    UserLocale: initialization.user_locale,
  };
}

function replaceNames(script: string, initialization: Initialization): string {
  const values = listValues(initialization);
  return script.replace(/\$(\w+)\$/g, (found, name: string) =>
    Object.hasOwn(values, name) ? escapeText(values[name] ?? '') : found,
  );
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function element(name: string, text: string | undefined): string {
  return text ? `<${name}>${escapeText(text)}</${name}>` : '';
}

const namespaces =
  'processorArchitecture="amd64" publicKeyToken="31bf3856ad364e35" language="neutral" versionScope="nonSxS"';

function component(name: string, content: string): string {
  return `<component name="Microsoft-Windows-${name}" ${namespaces}>${content}</component>`;
}

function createAnswers(initialization: Initialization): string {
  const { root_password: password, windows_license_key: key } = initialization;
  const identity = [
    element('ComputerName', initialization.host_name || '*'),
    element('ProductKey', key),
    element('RegisteredOrganization', initialization.org_name),
    element('RegisteredOwner', initialization.user_name),
    element('TimeZone', initialization.timezone),
  ].join('');
  const language = [
    element('InputLocale', initialization.input_locale),
    element('SystemLocale', initialization.system_locale),
    element('UILanguage', initialization.ui_language),
    element('UserLocale', initialization.user_locale),
  ].join('');
  const secret = `${element('Value', password)}<PlainText>true</PlainText>`;
  const account = password
    ? `<UserAccounts><AdministratorPassword>${secret}</AdministratorPassword></UserAccounts>`
    : '';
  const start = `<OOBE><HideEULAPage>true</HideEULAPage><ProtectYourPC>3</ProtectYourPC></OOBE>${account}`;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<unattend xmlns="urn:schemas-microsoft-com:unattend">',
    `<settings pass="specialize">${component('Shell-Setup', identity)}</settings>`,
    '<settings pass="oobeSystem">',
    ...(language === '' ? [] : [component('International-Core', language)]),
    component('Shell-Setup', start),
    '</settings>',
    '</unattend>',
    '',
  ].join('\n');
}
