// SPDX-License-Identifier: Apache-2.0
// The places made slower than the rest, each with what it comes to.
import { useController } from "../app/context";
import { Icon } from "../ui/icons";
import type { ListProps } from "./cause-list";
import { placeFields } from "./place-fields";
import { placeOutcome, placesOf, placeTitle, withoutPlace, withPlace } from "./places";
import { belongs, FieldRow } from "./row";

export function Places({ reading, result, errors, change }: ListProps) {
  const app = useController();
  const places = placesOf(reading);
  return (
    <>
      {places.length > 0 && (
        <ul class="items" aria-label="Slow places">
          {places.map((place, i) => {
            const title = placeTitle(place);
            const outcome = placeOutcome(place, i, result);
            return (
              <li key={i} class="item">
                <div class="item-head">
                  <p>{title}</p>
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Take out: ${title}`}
                    onClick={() => app.edit(withoutPlace(reading, i), "taking out a slow place")}
                  >
                    <Icon name="close" />
                  </button>
                </div>
                {placeFields(reading, i).map((field) => (
                  <FieldRow
                    key={field.id}
                    field={field}
                    reading={reading}
                    result={result}
                    faults={errors.filter((e) =>
                      field.pointer === `/what_if/${i}` ? e.pointer === field.pointer : belongs(e, field),
                    )}
                    change={change}
                  />
                ))}
                {outcome && <p class="outcome">{outcome}</p>}
              </li>
            );
          })}
        </ul>
      )}
      {places.length === 0 && <p class="hint">What if one node were slower than the others?</p>}
      <div class="buttons">
        <button
          type="button"
          class="small"
          onClick={() => app.edit(withPlace(reading), "slowing a place down")}
        >
          <Icon name="plus" /> Slow node
        </button>
      </div>
    </>
  );
}
