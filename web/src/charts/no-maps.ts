// SPDX-License-Identifier: Apache-2.0
// Stands in for d3-geo, which Plot asks for its map projections: no chart here is a map, and they are a tenth of Plot.
function none(): never {
  throw new Error("map projections are left out");
}

/** Called once for a projection that is never used. */
export const geoTransform = () => none;
export {
  none as geoAlbers,
  none as geoAlbersUsa,
  none as geoAzimuthalEqualArea,
  none as geoAzimuthalEquidistant,
  none as geoCentroid,
  none as geoClipRectangle,
  none as geoConicConformal,
  none as geoConicEqualArea,
  none as geoConicEquidistant,
  none as geoEqualEarth,
  none as geoEquirectangular,
  none as geoGnomonic,
  none as geoGraticule10,
  none as geoMercator,
  none as geoOrthographic,
  none as geoPath,
  none as geoStereographic,
  none as geoStream,
  none as geoTransverseMercator,
};
