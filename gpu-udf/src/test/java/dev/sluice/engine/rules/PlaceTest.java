package dev.sluice.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceTest {
    private static Place place(int... bytes) {
        byte[] b = new byte[bytes.length];
        for (int i = 0; i < b.length; i++) {
            b[i] = (byte) bytes[i];
        }
        return Place.of(b);
    }

    private static Place between(@Nullable Place after, @Nullable Place before) {
        Place place = Place.between(after, before);
        assertInside(after, place, before);
        return place;
    }

    private static void assertInside(@Nullable Place after, Place place, @Nullable Place before) {
        byte[] bytes = place.bytes();
        String what = after + " < " + place + " < " + before;
        assertTrue(bytes.length > 0 && bytes[bytes.length - 1] != 0, what);
        assertTrue(after == null || after.compareTo(place) < 0, what);
        assertTrue(before == null || place.compareTo(before) < 0, what);
    }

    private static List<Place> assertSpread(@Nullable Place after, @Nullable Place before, int n) {
        List<Place> places =
                after == null && before == null ? Place.spread(n) : Place.spread(after, before, n);
        assertEquals(n, places.size());
        for (int i = 0; i < n; i++) {
            assertInside(
                    i == 0 ? after : places.get(i - 1),
                    places.get(i),
                    i == n - 1 ? before : places.get(i + 1));
        }
        return places;
    }

    private static int longest(List<Place> places) {
        return places.stream().mapToInt(Place::length).max().orElse(0);
    }

    /** Any bytes, many of them at the ends of what a byte holds. */
    private static Place any(Random random) {
        int[] corners = {0, 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, 0xff};
        int[] bytes = new int[1 + random.nextInt(random.nextInt(8) == 0 ? 40 : 5)];
        for (int i = 0; i < bytes.length; i++) {
            int corner = corners[random.nextInt(corners.length)];
            bytes[i] = random.nextInt(3) == 0 ? random.nextInt(256) : corner;
        }
        bytes[bytes.length - 1] = Math.max(1, bytes[bytes.length - 1]);
        return place(bytes);
    }

    @Test
    void bytesCompareUnsignedAndAPrefixComesFirst() {
        List<Place> ascending =
                List.of(
                        place(0, 1),
                        place(1),
                        place(1, 0, 1),
                        place(1, 1),
                        place(0x7f),
                        place(0x80),
                        place(0x80, 0xff),
                        place(0xff),
                        place(0xff, 1));
        for (int i = 0; i < ascending.size(); i++) {
            for (int k = 0; k < ascending.size(); k++) {
                assertEquals(
                        Integer.signum(i - k),
                        Integer.signum(ascending.get(i).compareTo(ascending.get(k))));
            }
        }
    }

    @Test
    void thereIsRoomBetweenAnyTwo() {
        Random random = new Random(TestSeed.of(1));
        for (int i = 0; i < 200_000; i++) {
            Place a = any(random);
            Place b = random.nextInt(4) == 0 ? between(a, null) : any(random);
            int order = a.compareTo(b);
            if (order != 0) {
                between(order < 0 ? a : b, order < 0 ? b : a);
            }
            between(a, null);
            between(null, a);
        }
    }

    @Test
    void runsOfAnyLengthFitBetweenAnyTwo() {
        Random random = new Random(TestSeed.of(2));
        for (int i = 0; i < 3000; i++) {
            Place a = any(random);
            Place b = any(random);
            int n = random.nextInt(random.nextInt(20) == 0 ? 3000 : 20);
            int order = a.compareTo(b);
            if (order != 0) {
                assertSpread(order < 0 ? a : b, order < 0 ? b : a, n);
            }
            assertSpread(a, null, n);
            assertSpread(null, b, n);
            assertSpread(null, null, n);
        }
    }

    @Test
    void appendsAndPrependsStayShort() {
        for (boolean up : new boolean[] {true, false}) {
            for (Place start : List.of(Place.between(null, null), place(up ? 0xdf : 0x20, 7))) {
                Place last = start;
                for (int i = 0; i < 300_000; i++) {
                    last = up ? between(last, null) : between(null, last);
                }
                assertTrue(last.length() <= 7, last + " after 300,000");
            }
        }
    }

    @Test
    void rulesPutBehindOrBeforeEachOtherInTheMiddleStayShort() {
        for (boolean up : new boolean[] {true, false}) {
            for (Place high : List.of(place(0x81), place(0x80, 1), place(0x80, 0, 0, 1))) {
                Place low = place(0x80);
                Place end = high;
                for (int i = 0; i < 100_000; i++) {
                    Place next = between(low, end);
                    if (up) {
                        low = next;
                    } else {
                        end = next;
                    }
                }
                int longest = Math.max(low.length(), end.length());
                assertTrue(longest <= 20, longest + " bytes after 100,000 from " + high);
            }
        }
    }

    @Test
    void runsPutBehindEachOtherStayShort() {
        Place low = place(0x80);
        Place high = place(0x81);
        for (int i = 0; i < 2000; i++) {
            List<Place> run = assertSpread(low, high, 1 + i % 40);
            low = run.get(run.size() - 1);
        }
        assertTrue(low.length() <= 16, low + " after 2,000 runs");
    }

    /** Each rule goes to where the room is least. A bit a step is what it takes at least. */
    @Test
    void bisectionsGrowByAFewBitsEach() {
        Place low = place(0x80);
        Place high = place(0x81);
        for (int i = 0; i < 1000; i++) {
            Place next = between(low, high);
            if (i % 2 == 0) {
                low = next;
            } else {
                high = next;
            }
        }
        int longest = Math.max(low.length(), high.length());
        assertTrue(longest <= 400, longest + " bytes after 1,000");
    }

    @Test
    void randomInsertionsStayShort() {
        Random random = new Random(TestSeed.of(3));
        List<Place> places = new ArrayList<>(List.of(place(0x80), place(0x81)));
        for (int i = 0; i < 20_000; i++) {
            int at = 1 + random.nextInt(places.size() - 1);
            places.add(at, between(places.get(at - 1), places.get(at)));
        }
        double mean = places.stream().mapToInt(Place::length).average().orElse(0);
        assertTrue(mean < 10, mean + " bytes each");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5, 95, 96, 1000, 65_536, 300_000})
    void aSpreadIsShortAndLeavesRoom(int n) {
        List<Place> places = assertSpread(null, null, n);
        assertTrue(longest(places) <= (n < 95 ? 1 : n < 20_000 ? 2 : 3), n + " places");
        for (int i = 1; i < n; i++) {
            Place middle = between(places.get(i - 1), places.get(i));
            assertTrue(middle.length() <= 4, middle + " between two of " + n);
        }
    }

    @Test
    void whatIsNoPlaceIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Place.of(new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> place(1, 0));
        Place one = place(1);
        assertThrows(IllegalArgumentException.class, () -> Place.between(one, one));
        assertThrows(IllegalArgumentException.class, () -> Place.between(place(2), one));
        assertThrows(IllegalArgumentException.class, () -> Place.between(Place.NONE, one));
        assertThrows(IllegalArgumentException.class, () -> Place.spread(place(2), one, 3));
    }
}
