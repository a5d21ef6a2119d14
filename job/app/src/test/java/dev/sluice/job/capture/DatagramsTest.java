package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Fragments against a list of the last first fragments that is searched from its end. */
class DatagramsTest {
    private static final int UDP = 17;

    /** A first fragment as the oracle keeps it. */
    private record First(String key, int proto, int ports, long timeNs, long position) {}

    private static ParsedPacket fragment(
            int fragment, boolean six, int proto, int source, int id, int ports) {
        ParsedPacket packet = new ParsedPacket();
        int[] words = packet.words;
        words[HeaderWord.IP] =
                Field.IP_VERSION.place(six ? Field.VERSION_6 : Field.VERSION_4)
                        | Field.IP_PROTO.place(proto)
                        | Field.FRAGMENT.place(fragment);
        words[six ? HeaderWord.IPV6_SRC + 3 : HeaderWord.IPV4_SRC] = source;
        words[six ? HeaderWord.IPV6_DST : HeaderWord.IPV4_DST] = 9;
        packet.datagram = id;
        if (fragment == Field.FRAGMENT_FIRST) {
            words[HeaderWord.PORTS] = ports;
        }
        return packet;
    }

    private static String key(boolean six, int proto, int source, int id) {
        return six ? "six " + source + " " + id : proto + " " + source + " " + id;
    }

    private static @Nullable First find(Deque<First> kept, String key) {
        for (Iterator<First> i = kept.descendingIterator(); i.hasNext(); ) {
            First first = i.next();
            if (first.key.equals(key)) {
                return first;
            }
        }
        return null;
    }

    /** Few keys, so that identifications come again; times and positions that pass the bounds. */
    @Test
    void laterFragmentsGetThePortsOfTheNewestFirstFragmentWithinTheBounds() {
        Random random = TestSeed.random(11);
        for (int round = 0; round < 40; round++) {
            long horizon = round % 2 == 0 ? Long.MAX_VALUE : 200;
            Datagrams table = new Datagrams(horizon);
            Deque<First> kept = new ArrayDeque<>();
            long lone = 0;
            long timeNs = 1_000_000_000_000L;
            int seen = 0;
            for (long position = 0; position < 3000; position++) {
                timeNs += random.nextInt(200_000_000);
                boolean six = random.nextBoolean();
                int proto = random.nextBoolean() ? UDP : 6;
                int source = random.nextInt(6);
                int id = random.nextInt(30);
                String key = key(six, proto, source, id);
                long now = random.nextInt(20) == 0 ? Column.NO_TIME : timeNs;
                if (random.nextInt(3) == 0) {
                    int ports = random.nextInt();
                    assertTrue(
                            fragment(Field.FRAGMENT_FIRST, six, proto, source, id, ports)
                                    .follow(table, now, position));
                    kept.add(new First(key, proto, ports, now, position));
                    continue;
                }
                ParsedPacket later = fragment(Field.FRAGMENT_LATER, six, proto, source, id, 0);
                First first = find(kept, key);
                boolean known =
                        first != null
                                && position - first.position <= horizon
                                && (now == Column.NO_TIME
                                        || first.timeNs == Column.NO_TIME
                                        || now - first.timeNs <= Datagrams.TIMEOUT_NS);
                assertEquals(known, later.follow(table, now, position));
                lone += known ? 0 : 1;
                int[] words = later.words;
                int flow = words[HeaderWord.TCP_FLAGS];
                assertEquals(known ? 1 : 0, Field.FLOW_PRESENT.extract(flow));
                if (known) {
                    seen++;
                    assertEquals(first.proto, Field.FLOW_PROTO.extract(flow));
                    assertEquals(first.ports, words[HeaderWord.FLOW_PORTS]);
                }
            }
            assertTrue(seen > 100 && lone > 100, seen + " of " + lone);
            assertEquals(lone, table.lone());
            assertEquals(0, table.evicted());
        }
    }

    @Test
    void theOldestDatagramsAreDisplacedAndCounted() {
        Datagrams table = new Datagrams(Long.MAX_VALUE);
        int more = 1000;
        for (int id = 0; id < Datagrams.MOST + more; id++) {
            fragment(Field.FRAGMENT_FIRST, true, UDP, 1, id, id).follow(table, 0, id);
        }
        assertEquals(more, table.evicted());
        long lone = 0;
        for (int id = 0; id < Datagrams.MOST + more; id++) {
            ParsedPacket later = fragment(Field.FRAGMENT_LATER, true, UDP, 1, id, 0);
            boolean known = later.follow(table, 0, id + Datagrams.MOST);
            assertEquals(id >= more, known);
            lone += known ? 0 : 1;
        }
        assertEquals(more, lone);
        assertEquals(lone, table.lone());
    }

    /** One sender that repeats an identification must not make a chain of it. */
    @Test
    void aRepeatedIdentificationTakesTheTimeOfOne() {
        Datagrams table = new Datagrams(Long.MAX_VALUE);
        ParsedPacket first = fragment(Field.FRAGMENT_FIRST, false, UDP, 1, 2, 3);
        ParsedPacket other = fragment(Field.FRAGMENT_FIRST, false, UDP, 1, 4, 5);
        for (int i = 0; i < 1_000_000; i++) {
            (i % 2 == 0 ? first : other).follow(table, 0, i);
        }
        assertEquals(0, table.evicted());
        assertTrue(fragment(Field.FRAGMENT_LATER, false, UDP, 1, 2, 0).follow(table, 0, 1_000_000));
    }

    @Test
    void aFullTableAllocatesNothing() {
        Datagrams table = new Datagrams(Long.MAX_VALUE);
        ParsedPacket first = fragment(Field.FRAGMENT_FIRST, true, UDP, 1, 0, 3);
        ParsedPacket later = fragment(Field.FRAGMENT_LATER, true, UDP, 1, 0, 0);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int known = follow(table, first, later, 3 * Datagrams.MOST);
        long before = threads.getCurrentThreadAllocatedBytes();
        known += follow(table, first, later, 3 * Datagrams.MOST);
        assertTrue(threads.getCurrentThreadAllocatedBytes() - before < 1_000);
        assertEquals(6 * Datagrams.MOST, known);
    }

    private static int follow(Datagrams table, ParsedPacket first, ParsedPacket later, int count) {
        int known = 0;
        for (int i = 0; i < count; i++) {
            first.datagram = i;
            later.datagram = i;
            first.follow(table, 0, i);
            known += later.follow(table, 0, i) ? 1 : 0;
        }
        return known;
    }

    @Test
    void otherPacketsStayAsTheyAre() {
        Datagrams table = new Datagrams(Long.MAX_VALUE);
        ParsedPacket whole = fragment(Field.FRAGMENT_NONE, false, UDP, 1, 2, 3);
        int[] words = whole.words.clone();
        assertTrue(whole.follow(table, 0, 0));
        assertTrue(Arrays.equals(words, whole.words));
        assertEquals(0, table.lone());
    }
}
