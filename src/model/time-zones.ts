/** Time zones of guests: the IANA name, and the name on Windows. */

const zones: readonly (readonly [general: string, windows: string])[] = [
  ['Etc/GMT', 'Greenwich Standard Time'],
  ['Asia/Kabul', 'Afghanistan Standard Time'],
  ['America/Anchorage', 'Alaskan Standard Time'],
  ['Asia/Riyadh', 'Arab Standard Time'],
  ['Asia/Dubai', 'Arabian Standard Time'],
  ['Asia/Baghdad', 'Arabic Standard Time'],
  ['America/Halifax', 'Atlantic Standard Time'],
  ['Atlantic/Azores', 'Azores Standard Time'],
  ['America/Regina', 'Canada Central Standard Time'],
  ['Atlantic/Cape_Verde', 'Cape Verde Standard Time'],
  ['Asia/Yerevan', 'Caucasus Standard Time'],
  ['Australia/Adelaide', 'Cen. Australia Standard Time'],
  ['Australia/Darwin', 'AUS Central Standard Time'],
  ['America/Guatemala', 'Central America Standard Time'],
  ['Asia/Dhaka', 'Central Asia Standard Time'],
  ['Europe/Budapest', 'Central Europe Standard Time'],
  ['Europe/Warsaw', 'Central European Standard Time'],
  ['Pacific/Guadalcanal', 'Central Pacific Standard Time'],
  ['America/Chicago', 'Central Standard Time'],
  ['America/Mexico_City', 'Central Standard Time (Mexico)'],
  ['Asia/Shanghai', 'China Standard Time'],
  ['Etc/GMT+12', 'Dateline Standard Time'],
  ['Africa/Nairobi', 'E. Africa Standard Time'],
  ['Australia/Brisbane', 'E. Australia Standard Time'],
  ['Asia/Nicosia', 'E. Europe Standard Time'],
  ['America/Sao_Paulo', 'E. South America Standard Time'],
  ['America/New_York', 'Eastern Standard Time'],
  ['Africa/Cairo', 'Egypt Standard Time'],
  ['Africa/Algiers', 'W. Central Africa Standard Time'],
  ['Asia/Yekaterinburg', 'Ekaterinburg Standard Time'],
  ['Pacific/Fiji', 'Fiji Standard Time'],
  ['Europe/Helsinki', 'FLE Standard Time'],
  ['Asia/Tbilisi', 'Georgian Standard Time'],
  ['Europe/London', 'GMT Standard Time'],
  ['America/Godthab', 'Greenland Standard Time'],
  ['Europe/Bucharest', 'GTB Standard Time'],
  ['Pacific/Honolulu', 'Hawaiian Standard Time'],
  ['Asia/Calcutta', 'India Standard Time'],
  ['Asia/Tehran', 'Iran Standard Time'],
  ['Asia/Jerusalem', 'Israel Standard Time'],
  ['Asia/Seoul', 'Korea Standard Time'],
  ['America/Denver', 'Mountain Standard Time'],
  ['Asia/Rangoon', 'Myanmar Standard Time'],
  ['Asia/Novosibirsk', 'N. Central Asia Standard Time'],
  ['Asia/Katmandu', 'Nepal Standard Time'],
  ['Pacific/Auckland', 'New Zealand Standard Time'],
  ['America/St_Johns', 'Newfoundland Standard Time'],
  ['Asia/Irkutsk', 'North Asia East Standard Time'],
  ['Asia/Krasnoyarsk', 'North Asia Standard Time'],
  ['America/Santiago', 'Pacific SA Standard Time'],
  ['America/Los_Angeles', 'Pacific Standard Time'],
  ['Europe/Paris', 'Romance Standard Time'],
  ['Europe/Moscow', 'Russian Standard Time'],
  ['America/Buenos_Aires', 'SA Eastern Standard Time'],
  ['America/Bogota', 'SA Pacific Standard Time'],
  ['America/La_Paz', 'SA Western Standard Time'],
  ['Pacific/Apia', 'Samoa Standard Time'],
  ['Asia/Bangkok', 'SE Asia Standard Time'],
  ['Asia/Singapore', 'Singapore Standard Time'],
  ['Africa/Johannesburg', 'South Africa Standard Time'],
  ['Asia/Colombo', 'Sri Lanka Standard Time'],
  ['Asia/Taipei', 'Taipei Standard Time'],
  ['Australia/Hobart', 'Tasmania Standard Time'],
  ['Asia/Tokyo', 'Tokyo Standard Time'],
  ['Pacific/Tongatapu', 'Tonga Standard Time'],
  ['America/Phoenix', 'US Mountain Standard Time'],
  ['Asia/Vladivostok', 'Vladivostok Standard Time'],
  ['Australia/Perth', 'W. Australia Standard Time'],
  ['Africa/Lagos', 'W. Central Africa Standard Time'],
  ['Europe/Berlin', 'W. Europe Standard Time'],
  ['Asia/Tashkent', 'West Asia Standard Time'],
  ['Pacific/Port_Moresby', 'West Pacific Standard Time'],
  ['Asia/Yakutsk', 'Yakutsk Standard Time'],
  ['America/Caracas', 'Venezuela Standard Time'],
  ['Europe/Istanbul', 'Turkey Standard Time'],
  ['Australia/Sydney', 'AUS Eastern Standard Time'],
  ['Atlantic/South_Georgia', 'Mid-Atlantic Standard Time'],
];

const generalNames: ReadonlySet<string> = new Set(zones.map(([general]) => general));
const windowsNames: ReadonlySet<string> = new Set(zones.map(([, windows]) => windows));

/** Whether a system is Windows, which has different names of time zones. */
export function isWindows(system: string | undefined): boolean {
  return system?.startsWith('windows') ?? false;
}

/** Whether a system supports a time zone. */
export function knowsTimeZone(system: string | undefined, name: string): boolean {
  return (isWindows(system) ? windowsNames : generalNames).has(name);
}

/** Default time zone of a guest. */
export function defaultTimeZone(system: string | undefined): string {
  return isWindows(system) ? 'GMT Standard Time' : 'Etc/GMT';
}
