package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.sluice.schemas.codec.Connection.Ends;
import dev.sluice.schemas.codec.Connection.Opening;
import dev.sluice.schemas.codec.Connection.Traffic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionTest {
    private static final byte[] ONE = {10, 0, 0, 1};
    private static final byte[] TWO = {10, 0, 0, 2};
    private static final Opening OPENING =
            new Opening(
                    "c", "eth0", VerdictOutcome.PERMIT, 5L, 6, "accept", "-A INPUT", 7, "history");
    private static final Opening NO_RULE =
            new Opening("c", "", VerdictOutcome.NOT_JUDGED, null, null, "none", "", 7, "");
    private static final Ends TCP = new Ends(ONE, TWO, 6, 1000, 80, null);
    private static final Ends QUERY = new Ends(new byte[16], new byte[16], 58, 128, 0, 9);
    private static final Ends OTHER = new Ends(ONE, TWO, 47, null, null, null);

    private static Connection of(Opening opening, Ends ends, long first, Long refused) {
        return new Connection(
                opening,
                ends,
                first,
                first,
                new Traffic(1, 2),
                new Traffic(1L << 40, 1L << 47),
                "established",
                "timeout",
                refused);
    }

    @Test
    void everyFieldComesOutAsItWentIn() throws Exception {
        for (Opening opening : List.of(OPENING, NO_RULE)) {
            for (Ends ends : List.of(TCP, QUERY, OTHER)) {
                for (long time : new long[] {1, Column.NO_TIME}) {
                    Connection connection = of(opening, ends, time, time == 1 ? null : 8L);
                    Connection read = Connection.decode(connection.encode());
                    assertArrayEquals(connection.encode(), read.encode());
                    assertEquals(connection.toRecord().toString(), read.toRecord().toString());
                    assertEquals(opening, read.opening());
                    assertEquals(connection.answered(), read.answered());
                    assertEquals(connection.refusedPacket(), read.refusedPacket());
                    assertArrayEquals(ends.source(), read.ends().source());
                }
            }
        }
    }

    @Test
    void aKeyNamesTheConnectionAndNotItsCounts() {
        String key = key(of(OPENING, TCP, 1, null));
        assertEquals("6/0a000001/1000/0a000002/80/null/1", key);
        assertEquals(key, key(of(NO_RULE, TCP, 1, 8L)));
        assertNotEquals(key, key(of(OPENING, TCP, 2, null)));
    }

    private static String key(Connection connection) {
        return new String(connection.key(), StandardCharsets.UTF_8);
    }
}
