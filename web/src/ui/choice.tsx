// SPDX-License-Identifier: Apache-2.0
import { useId } from "preact/hooks";

/** One of a few, all visible: radio buttons in a row. */
export function Choice<T extends string>({
  name,
  value,
  options,
  onChange,
}: {
  name: string;
  value: T;
  options: [value: T, label: string][];
  onChange: (value: T) => void;
}) {
  const group = useId();
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{name}</legend>
      {options.map(([option, label]) => (
        <label key={option}>
          <input type="radio" name={group} checked={option === value} onChange={() => onChange(option)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
