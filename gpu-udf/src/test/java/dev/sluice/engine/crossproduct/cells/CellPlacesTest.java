package dev.sluice.engine.crossproduct.cells;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.image.BuildMeter;
import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CellPlacesTest {
    /** Numbers side by side, as prefixes have them: rows of a dense table, and its diagonal. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 50, 4_000, 200_000})
    void everyCellHasAPlaceOfItsOwnThatItsBucketsSeedTells(int cells) {
        for (int columns : new int[] {1, 37, 5_000}) {
            int[] first = new int[cells];
            int[] second = new int[cells];
            Arrays.setAll(first, i -> 1 + i / columns);
            Arrays.setAll(second, i -> columns == 1 ? 1 + i : 1 + i % columns);
            CellPlaces places = new CellPlaces(first, second, new BuildMeter("pairs", 1L << 30));
            BitSet taken = new BitSet();
            for (int i = 0; i < cells; i++) {
                int bucket = CrossproductLayout.bucket(first[i], second[i], places.shift);
                int seed = places.seeds[bucket];
                int place = CrossproductLayout.place(first[i], second[i], seed, places.places);
                assertEquals(places.placeOf[i], place);
                assertTrue(place >= 0 && place < places.places);
                taken.set(place);
            }
            assertEquals(cells, taken.cardinality());
        }
    }
}
