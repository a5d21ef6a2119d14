package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTracker.ESTABLISHED;
import static dev.sluice.operators.connections.ConnectionTracker.INVALID;
import static dev.sluice.operators.connections.ConnectionTracker.NEW;
import static dev.sluice.operators.connections.ConnectionTracker.TRACKED;
import static dev.sluice.operators.connections.ConnectionTracker.UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.header.TcpSegment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Windows in images, and connections whose windows are unknown; the kernel tells the rest. */
class TcpWindowsTest {
    private static final TrackerOptions PLAIN = TrackerOptions.LINUX;
    private static final TrackerOptions WINDOWS = PLAIN.withWindows(true);
    private static final int SYN = 2;
    private static final int ACK = 16;
    private static final int KINDS = NEW | ESTABLISHED | INVALID | TRACKED;

    private static int send(ConnectionTracker to, int client, int flags, int seq, int ack) {
        return send(to, client, flags, seq, ack, true);
    }

    /** Sends a SYN, or a segment of 10 bytes; from who answers where the flags are negative. */
    private static int send(
            ConnectionTracker to, int client, int flags, int seq, int ack, boolean told) {
        boolean answers = flags < 0;
        int[] words = new int[HeaderWord.COUNT];
        words[TcpSegment.SEQUENCE] = seq;
        words[TcpSegment.ACKNOWLEDGEMENT] = ack;
        words[TcpSegment.WINDOW] = 1000 << 16 | ((Math.abs(flags) & SYN) != 0 ? 0 : 10);
        PacketTuple packet =
                new PacketTuple()
                        .ipv4(answers ? 9 : client, answers ? client : 9, PacketTuple.TCP)
                        .ports(answers ? 80 : 7, answers ? 7 : 80)
                        .tcpFlags(Math.abs(flags))
                        .segment(words, told);
        int state = to.state(packet, null, 1);
        to.decided(true);
        return state == UNKNOWN ? UNKNOWN : state & KINDS;
    }

    private static void open(ConnectionTracker tracker, int client) {
        assertEquals(TRACKED | NEW, send(tracker, client, SYN, 99, 0));
        assertEquals(TRACKED | ESTABLISHED, send(tracker, client, -(SYN | ACK), 499, 100));
        assertEquals(TRACKED | ESTABLISHED, send(tracker, client, ACK, 100, 500));
    }

    private static ConnectionTracker restored(ConnectionTracker from, TrackerOptions options)
            throws IOException {
        TrackerImage image = from.image(true);
        List<PageImage> pages = new ArrayList<>();
        for (PageImage page : image.pages()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            page.writeTo(new DataOutputStream(bytes));
            pages.add(
                    PageImage.readFrom(
                            new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))));
        }
        return new ConnectionTracker(
                options,
                new TrackerImage(image.time(), image.sweepIpv4(), image.sweepIpv6(), pages),
                null);
    }

    @Test
    void aRestoredTrackerKnowsTheWindows() throws IOException {
        ConnectionTracker tracker = new ConnectionTracker(WINDOWS);
        for (int client = 1000; client < 2000; client++) { // on many pages
            open(tracker, client);
        }
        ConnectionTracker restored = restored(tracker, WINDOWS);
        for (int client = 1000; client < 2000; client++) {
            assertEquals(TRACKED | INVALID, send(restored, client, ACK, 9_000, 500));
            assertEquals(TRACKED | INVALID, send(restored, client, ACK, 110, 501));
            assertEquals(TRACKED | ESTABLISHED, send(restored, client, ACK, 110, 500));
        }
    }

    @Test
    void imagesOfTheOtherKindAreTaken() throws IOException {
        ConnectionTracker plain = new ConnectionTracker(PLAIN);
        open(plain, 1000);
        ConnectionTracker unknown = restored(plain, WINDOWS);
        assertEquals(UNKNOWN, send(unknown, 1000, ACK, 9_000, 500));
        assertEquals(0, unknown.counts().untold());
        assertTrue(
                unknown.image(false).pages().stream().allMatch(page -> page.layout().windowed()));
        open(unknown, 1001);
        assertEquals(TRACKED | INVALID, send(unknown, 1001, ACK, 9_000, 500));
        ConnectionTracker again = restored(unknown, PLAIN);
        assertEquals(TRACKED | ESTABLISHED, send(again, 1001, ACK, 9_000, 500));
        assertEquals(2, again.counts().live());
    }

    @Test
    void aSegmentWithoutNumbersMakesItsConnectionUnknown() {
        ConnectionTracker tracker = new ConnectionTracker(WINDOWS);
        open(tracker, 1000);
        open(tracker, 1001);
        assertEquals(UNKNOWN, send(tracker, 1000, ACK, 0, 0, false));
        assertEquals(UNKNOWN, send(tracker, 1000, -ACK, 500, 110));
        assertEquals(TRACKED | ESTABLISHED, send(tracker, 1001, -ACK, 500, 110));
        assertEquals(TRACKED | NEW, send(tracker, 1002, SYN, 0, 0, false));
        assertEquals(UNKNOWN, send(tracker, 1002, -(SYN | ACK), 499, 100));
        assertEquals(2, tracker.counts().untold());
    }

    @Test
    void aConnectionTakesAtMost152Bytes() {
        ConnectionTracker tracker = new ConnectionTracker(WINDOWS.withConnectionsMax(1_000_000));
        for (int i = 1; i <= 100_000; i++) {
            send(tracker, i, SYN, 1, 0);
            assertTrue(i < 1000 || tracker.bytes() <= 152L * i, tracker.bytes() + " of " + i);
        }
    }
}
