package dev.sluice.job.connections;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Random packets between two ends, of which most make sense. */
final class RandomFlow implements Supplier<SentPacket> {
    private static final int SYN = 2;
    private static final int ACK = 16;
    private static final int FIN = 17;
    private static final int RST = 4;
    private static final List<Integer> FLAGS =
            List.of(
                    SYN,
                    SYN,
                    SYN | ACK,
                    SYN | ACK,
                    ACK,
                    ACK,
                    ACK,
                    ACK | 8,
                    FIN,
                    FIN,
                    RST,
                    RST | ACK,
                    0,
                    SYN | 1,
                    SYN | RST,
                    1,
                    FIN | 32,
                    63,
                    SYN | 0xc0);

    /** Steps of usual connections: the flags, from who answers where negative. */
    private static final List<List<Integer>> SCRIPTS =
            List.of(
                    List.of(SYN, -(SYN | ACK), ACK, ACK, -ACK, FIN, -ACK, -FIN, ACK, SYN),
                    List.of(SYN, -(SYN | ACK), ACK, -FIN, FIN, -ACK, ACK, -SYN, SYN | ACK, -ACK),
                    List.of(SYN, SYN, -SYN, SYN | ACK, -(SYN | ACK), ACK, -ACK, ACK),
                    List.of(SYN, -SYN, -ACK, -(SYN | ACK), -ACK, ACK, -RST, SYN),
                    List.of(ACK, -ACK, ACK, -ACK, SYN, -ACK, RST, SYN, -(SYN | ACK), ACK),
                    List.of(ACK, SYN, -(SYN | ACK), ACK, -FIN, ACK, FIN, SYN, -ACK, -ACK),
                    List.of(SYN, -(RST | ACK), SYN, -(SYN | ACK), RST, SYN, -(SYN | ACK), ACK));

    private static final int[] QUERIES4 = {8, 13, 15, 17, 0, 14, 16, 18};
    private static final int[] QUERIES6 = {128, 139, 129, 140};
    private static final int[] ERRORS4 = {3, 4, 5, 11, 12};
    private static final int[] ERRORS6 = {1, 2, 3, 4, 100, 127};
    private static final int[] OTHERS4 = {1, 2, 6, 9, 10, 19, 42};
    private static final int[] OTHERS6 = {130, 133, 136, 141, 143, 150, 151, 152, 153, 255};

    private final Random random;
    private final boolean carries;
    private final int version;
    private final int protocol;
    private final int one;
    private final int two;
    private final int onePort;
    private final int twoPort;
    private @Nullable SentPacket last;
    private List<Integer> script = List.of();
    private int step;

    /** A flow of TCP segments that carry nothing, and are in sequence. */
    RandomFlow(Random random, int number) {
        this(random, number, false);
    }

    /**
     * A flow.
     *
     * @param carries whether TCP segments carry data, which comes again and out of order
     */
    RandomFlow(Random random, int number, boolean carries) {
        this.random = random;
        this.carries = carries;
        version = random.nextInt(3) == 0 ? 6 : 4;
        protocol =
                switch (random.nextInt(16)) {
                    case 0, 1, 2 -> 17;
                    case 3, 4, 5 -> version == 4 ? 1 : 58;
                    case 6 ->
                            List.of(47, 136, 99, 33, version == 4 ? 58 : 1).get(random.nextInt(5));
                    default -> 6;
                };
        // Flows never share a connection, which of some protocols addresses alone tell apart.
        one = 1 + Math.floorMod(number, 120);
        two = random.nextInt(20) == 0 && protocol == 17 ? one : 121 + Math.floorDiv(number, 120);
        onePort = 1024 + number;
        twoPort = one == two ? onePort : random.nextBoolean() ? 80 : 65_000;
    }

    @Override
    public SentPacket get() {
        boolean answers = random.nextInt(3) == 0;
        boolean passes = random.nextInt(8) != 0;
        SentPacket sent = last;
        if (sent != null && random.nextInt(10) == 0) {
            return error(sent, passes);
        }
        int flags = 0;
        int from = answers ? twoPort : onePort;
        int to = answers ? onePort : twoPort;
        if (protocol == 6) {
            if (step == script.size()) {
                script = SCRIPTS.get(random.nextInt(SCRIPTS.size()));
                step = 0;
            }
            if (random.nextInt(4) == 0) {
                flags = FLAGS.get(random.nextInt(FLAGS.size()));
            } else {
                flags = script.get(step++);
                answers = flags < 0;
                flags = Math.abs(flags);
                from = answers ? twoPort : onePort;
                to = answers ? onePort : twoPort;
            }
        } else if (protocol == (version == 4 ? 1 : 58)) {
            int[] usual = version == 4 ? QUERIES4 : QUERIES6;
            int[] others = version == 4 ? OTHERS4 : OTHERS6;
            int half = usual.length / 2;
            int type = usual[onePort % half + (answers ? half : 0)];
            if (random.nextInt(8) == 0) {
                int[] any = random.nextBoolean() ? usual : others;
                type = any[random.nextInt(any.length)];
            }
            from = onePort;
            to = type << 8;
        }
        boolean plain = protocol == 6 && (flags & 7) == 0 && carries && random.nextInt(3) > 0;
        last =
                new SentPacket(
                        version,
                        answers ? two : one,
                        answers ? one : two,
                        protocol,
                        from,
                        to,
                        flags,
                        plain ? random.nextInt(100) : 0,
                        plain ? random.nextInt(4000) - 1000 : 0,
                        null,
                        passes);
        return last;
    }

    private SentPacket error(SentPacket about, boolean passes) {
        int[] types = version == 4 ? ERRORS4 : ERRORS6;
        int type = types[random.nextInt(types.length)];
        boolean astray = random.nextInt(5) == 0;
        int to = astray ? 250 : about.source();
        int by = random.nextBoolean() ? about.destination() : 251;
        int control = version == 4 ? 1 : 58;
        return new SentPacket(version, by, to, control, 0, type << 8, 0, 0, 0, about, passes);
    }

    /** A capture of frames, a microsecond apart. */
    static byte[] pcap(List<byte[]> frames) {
        return pcap(frames, 1_700_000_000);
    }

    /** A capture whose packets come from a second on, 1 µs one behind the other. */
    static byte[] pcap(List<byte[]> frames, int second) {
        int bytes = frames.stream().mapToInt(frame -> 16 + frame.length).sum();
        ByteBuffer file = ByteBuffer.allocate(24 + bytes);
        file.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4);
        file.putLong(0).putInt(65_535).putInt(1);
        int micros = 0;
        for (byte[] frame : frames) {
            file.putInt(second).putInt(micros++).putInt(frame.length).putInt(frame.length);
            file.put(frame);
        }
        return file.array();
    }
}
