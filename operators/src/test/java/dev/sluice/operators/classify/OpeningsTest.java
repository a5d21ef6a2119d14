package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.Connection.Opening;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.state.MapState;
import org.junit.jupiter.api.Test;

/** Openings are kept as long as rows have them. */
class OpeningsTest {
    private final Map<Integer, byte[]> written = new HashMap<>();

    @SuppressWarnings("unchecked")
    private final MapState<Integer, byte[]> state =
            (MapState<Integer, byte[]>)
                    Proxy.newProxyInstance(
                            OpeningsTest.class.getClassLoader(),
                            new Class<?>[] {MapState.class},
                            (proxy, method, given) ->
                                    switch (method.getName()) {
                                        case "put" -> {
                                            written.put((Integer) given[0], (byte[]) given[1]);
                                            yield null;
                                        }
                                        case "remove" -> {
                                            written.remove((Integer) given[0]);
                                            yield null;
                                        }
                                        case "entries" -> Map.copyOf(written).entrySet();
                                        default -> throw new AssertionError(method);
                                    });

    private static Opening opening(long version) {
        return new Opening("c", "", VerdictOutcome.DENY, 7L, null, "drop", "text", version, "h");
    }

    @Test
    void versionsThatComeAndGoLeaveNothing() throws Exception {
        Openings openings = new Openings();
        int first = openings.number(opening(0));
        openings.began(first);
        for (int version = 1; version <= 10_000; version++) {
            int number = openings.number(opening(version));
            assertEquals(number, openings.number(opening(version)));
            assertTrue(number <= 22, "number " + number);
            openings.began(number);
            openings.ended(number);
            if (version % 20 == 0) {
                openings.write(state);
                assertEquals(1, written.size());
            }
        }
        assertEquals(opening(0), openings.get(first));
    }

    @Test
    void restoredNumbersMeanTheSame() throws Exception {
        Openings before = new Openings();
        for (int version = 1; version <= 5; version++) {
            before.began(before.number(opening(version)));
        }
        before.number(opening(6)); // its packet was of a connection that was refused before
        before.ended(3);
        before.write(state);
        Openings after = new Openings();
        after.restore(state);
        for (int number : new int[] {1, 2, 4, 5}) {
            assertEquals(opening(number), after.get(number));
            assertEquals(number, after.number(opening(number)));
            after.began(number);
        }
        assertEquals(3, after.number(opening(7)));
        after.ended(2);
        after.write(state);
        assertEquals(Set.of(1, 4, 5), written.keySet());
    }
}
