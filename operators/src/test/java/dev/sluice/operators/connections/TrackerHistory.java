package dev.sluice.operators.connections;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Random history of packets that a tracker and the reference go through together. */
final class TrackerHistory {
    private static final int STEPS_OF_A_STORY = 40;

    /** Steps between two packets in ns: often none, sometimes about as long as a timeout. */
    private static final long[] PAUSES = {
        0,
        0,
        0,
        1,
        1_000_000,
        1_000_000,
        100_000_000,
        1_000_000_000,
        2_000_000_000,
        2_000_000_001L,
        10_000_000_000L,
        30_000_000_000L,
        60_000_000_000L,
        120_000_000_000L,
        -5_000_000_000L
    };

    private static final long[] LONG_PAUSES = {
        300_000_000_000L, 600_000_000_000L, 432_000_000_000_000L
    };

    private final Random random;
    private final int[] protocols;
    private final int ports;
    private final int pausesIn;
    private final TrackerOptions options;
    private final ReferenceTracker reference;
    private ConnectionTracker tracker;
    private final Map<Long, PageImage> stored = new TreeMap<>();
    private final List<String> story = new ArrayList<>();
    private final PacketTuple tuple = new PacketTuple();
    private final PacketTuple inner = new PacketTuple();
    private long time = 1_000_000_000_000L;
    private long evicted;
    private int restored;

    /**
     * Begins a history.
     *
     * @param protocols of which packets are drawn
     * @param ports number of ports; more make more connections
     * @param pausesIn one of so many packets comes later than the one before
     * @param expected options of the reference
     */
    TrackerHistory(
            long seed,
            int[] protocols,
            int ports,
            int pausesIn,
            TrackerOptions options,
            TrackerOptions expected) {
        this.random = new Random(seed);
        this.protocols = protocols;
        this.ports = ports;
        this.pausesIn = pausesIn;
        this.options = options;
        this.tracker = new ConnectionTracker(options);
        this.reference = new ReferenceTracker(expected.loose(), expected.seconds());
    }

    long evicted() {
        return evicted;
    }

    int restored() {
        return restored;
    }

    /** Goes on by a number of packets, and tells the first difference. */
    Optional<String> difference(int packets) throws IOException {
        for (int i = 1; i <= packets; i++) {
            Optional<String> difference = step();
            if (difference.isEmpty() && i % 64 == 0) {
                difference = compare();
            }
            if (difference.isPresent()) {
                int from = Math.max(0, story.size() - STEPS_OF_A_STORY);
                return Optional.of(
                        String.join("\n", story.subList(from, story.size()))
                                + "\n"
                                + difference.get());
            }
            if (random.nextInt(500) == 0) {
                restore();
            }
        }
        return Optional.empty();
    }

    private Optional<String> step() {
        if (random.nextInt(pausesIn) == 0) {
            long[] pauses = random.nextInt(200) == 0 ? LONG_PAUSES : PAUSES;
            time += pauses[random.nextInt(pauses.length)];
        }
        DrawnPacket packet = DrawnPacket.random(random, protocols, ports, 1);
        boolean passes = random.nextInt(6) > 0;
        story.add(time + " " + packet + (passes ? " passes" : " is dropped"));
        DrawnPacket about = packet.embedded();
        TrackerCounts before = tracker.counts();
        int expected = reference.state(packet, time);
        int state =
                tracker.state(packet.fill(tuple), about == null ? null : about.fill(inner), time);
        TrackerCounts after = tracker.counts();
        if (after.full() > before.full()) {
            reference.forget();
        } else if (after.evicted() > before.evicted()) {
            evicted++;
            Optional<String> wrong = takeEvicted();
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        tracker.decided(passes);
        reference.decided(passes);
        if (tracker.counts().live() > options.connectionsMax()) {
            return Optional.of("more connections than allowed: " + tracker.counts());
        }
        return state == expected
                ? Optional.empty()
                : Optional.of("state %d instead of %d".formatted(state, expected));
    }

    private Optional<String> takeEvicted() {
        Map<String, String> held = held();
        Map<String, ReferenceTracker.Connection> live = live();
        live.keySet().removeAll(held.keySet());
        if (live.size() > 1 || live.values().stream().anyMatch(gone -> gone.assured)) {
            return Optional.of("dropped: " + live.keySet());
        }
        live.values().forEach(reference::kill);
        return Optional.empty();
    }

    private Optional<String> compare() {
        Map<String, String> expected = new TreeMap<>();
        live().forEach((key, c) -> expected.put(key, describe(c)));
        Map<String, String> held = held();
        return expected.equals(held)
                ? Optional.empty()
                : Optional.of("held " + held + "\ninstead of " + expected);
    }

    private Map<String, ReferenceTracker.Connection> live() {
        Map<String, ReferenceTracker.Connection> live = new HashMap<>();
        for (ReferenceTracker.Connection c : reference.connections.values()) {
            if (c.end > reference.now) {
                live.put(key(c.original), c);
            }
        }
        return live;
    }

    /** Returns a key as a slot has it, and at which end the connection began. */
    private String key(ReferenceTracker.Tuple t) {
        DrawnPacket packet =
                new DrawnPacket(
                        t.version(),
                        t.source(),
                        t.destination(),
                        t.protocol(),
                        t.from(),
                        t.protocol() == 47 ? t.to() + 1 : t.to(),
                        0,
                        null);
        PacketTuple filled = packet.fill(new PacketTuple());
        filled.place(options.seed());
        StringBuilder key = new StringBuilder(t.version() + " " + t.protocol());
        for (int i = 0; i < filled.keyWords(); i++) {
            key.append(' ').append(filled.key[i]);
        }
        return key.append(filled.fromUpper()).toString();
    }

    private static String describe(ReferenceTracker.Connection c) {
        int state =
                c.original.protocol() == 6
                        ? List.of("NO", "SS", "SR", "ES", "FW", "CW", "LA", "TW", "CL", "S2")
                                .indexOf(c.tcp)
                        : ReferenceSctp.STATES.indexOf(c.sctp.state);
        return "ends %d seen %s assured %s state %d"
                .formatted(c.end, c.seenReply, c.assured, state);
    }

    private Map<String, String> held() {
        Map<String, String> held = new TreeMap<>();
        for (PageImage page : tracker.image(true).pages()) {
            // An image of all is no image of the changes: what changed is kept below.
            stored.put(page.key(), page);
            int keyWords = page.layout().keyWords();
            int[] words = page.words();
            for (int at = 0; at < words.length; at += keyWords + 5) {
                int bits = words[at + keyWords];
                long end =
                        words[at + keyWords + 1] & 0xffffffffL
                                | (long) words[at + keyWords + 2] << 32;
                if (bits != 0 && end > reference.now) {
                    StringBuilder key =
                            new StringBuilder(page.layout().version() + " " + (bits & 0xff));
                    for (int i = at; i < at + keyWords; i++) {
                        key.append(' ').append(words[i]);
                    }
                    key.append((bits & SlotBits.BEGAN_UPPER) != 0);
                    held.put(
                            key.toString(),
                            "ends %d seen %s assured %s state %d"
                                    .formatted(
                                            end,
                                            (bits & SlotBits.SEEN_REPLY) != 0,
                                            (bits & SlotBits.ASSURED) != 0,
                                            SlotBits.state(bits)));
                }
            }
        }
        return held;
    }

    /** Goes on with a tracker from the bytes of the pages, of which those that changed are new. */
    private void restore() throws IOException {
        restored++;
        TrackerImage image = tracker.image(false);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (PageImage page : image.pages()) {
            page.writeTo(new DataOutputStream(bytes));
        }
        DataInputStream from = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        while (from.available() > 0) {
            PageImage page = PageImage.readFrom(from);
            stored.put(page.key(), page);
        }
        tracker =
                new ConnectionTracker(
                        options,
                        new TrackerImage(
                                image.time(),
                                image.sweepIpv4(),
                                image.sweepIpv6(),
                                List.copyOf(stored.values())),
                        null);
    }
}
