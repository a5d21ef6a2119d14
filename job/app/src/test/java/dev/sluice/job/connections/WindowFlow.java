package dev.sluice.job.connections;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Random TCP segments between two ends. Most have the numbers that TCP asks for; others lie at an
 * edge of a window, one beside it, or anywhere.
 */
final class WindowFlow implements Supplier<SentSegment> {
    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int RST = 4;
    private static final int ACK = 16;

    /** Steps of connections: the flags, from who answers where negative. */
    private static final List<List<Integer>> SCRIPTS =
            List.of(
                    List.of(SYN, -(SYN | ACK), ACK, ACK, -ACK, ACK, ACK, -ACK, -ACK, ACK, -ACK),
                    List.of(SYN, -(SYN | ACK), ACK, ACK, -ACK, FIN | ACK, -ACK, -(FIN | ACK), ACK),
                    List.of(SYN, -(SYN | ACK), ACK, -ACK, ACK, -RST, RST, ACK, -(RST | ACK)),
                    List.of(SYN, -(SYN | ACK), ACK, SYN, -(SYN | ACK), ACK, SYN, -ACK, RST),
                    List.of(SYN, -SYN, SYN | ACK, -(SYN | ACK), ACK, -ACK, ACK),
                    List.of(SYN, -SYN, -ACK, ACK, -ACK, ACK, -(FIN | ACK)),
                    List.of(SYN, SYN, -(RST | ACK), SYN, -ACK, RST, SYN, -(SYN | ACK), RST),
                    List.of(SYN, -(SYN | ACK), ACK, ACK, RST, -(FIN | ACK), RST, -RST, FIN | ACK),
                    List.of(ACK, -ACK, ACK, -ACK, ACK, RST, -ACK, SYN, -(SYN | ACK), ACK));

    private static final int[] NEAR = {0, 0, 1, -1, 2, -2, 100, -100, 1000, -1000};
    private static final int[] FAR = {66_000, 66_001, 65_999, -66_000, -66_001, -66_002, 5_000_000};
    private static final int[] WINDOWS = {0, 0, 1, 100, 1000, 1000, 8192, 65_535, 65_535};

    /** One end. */
    private static final class End {
        int next;
        int window;
        int scale = -1;

        /** Highest acknowledgement that it sent. */
        int acknowledged;
    }

    private final Random random;
    private final boolean six;
    private final int number;
    private final End one = new End();
    private final End two = new End();
    private List<Integer> script = List.of();
    private int step;
    private int repeats;
    private @Nullable SentSegment last;

    WindowFlow(Random random, int number) {
        this.random = random;
        this.number = number;
        six = random.nextInt(4) == 0;
    }

    /** Segments of flows in turns. */
    static List<SentSegment> history(Random random, int flows) {
        List<SentSegment> segments = new ArrayList<>();
        List<WindowFlow> open = new ArrayList<>();
        for (int i = 0; i < flows || !open.isEmpty(); ) {
            if (i < flows && open.size() < 40) {
                open.add(new WindowFlow(random, i++));
            }
            WindowFlow flow = open.get(random.nextInt(open.size()));
            segments.add(flow.get());
            if (random.nextInt(20) == 0) {
                open.remove(flow);
            }
        }
        return segments;
    }

    private int pick(int[] from) {
        return from[random.nextInt(from.length)];
    }

    private void begin() {
        script = SCRIPTS.get(random.nextInt(SCRIPTS.size()));
        step = 0;
        one.next = start();
        two.next = start();
        one.acknowledged = two.next;
        two.acknowledged = one.next;
        one.window = pick(WINDOWS);
        two.window = pick(WINDOWS);
    }

    /** Numbers of which many wrap around soon. */
    private int start() {
        return random.nextInt(3) == 0 ? random.nextInt() : -random.nextInt(3000);
    }

    @Override
    public SentSegment get() {
        SentSegment before = last;
        if (before != null && repeats > 0) {
            repeats--;
            return before.again(random.nextInt(12) != 0);
        }
        if (step == script.size()) {
            begin();
        }
        int flags = random.nextInt(12) == 0 ? anyFlags() : script.get(step++);
        boolean answers = flags < 0;
        last = segment(Math.abs(flags), answers ? two : one, answers ? one : two, answers);
        repeats = random.nextInt(8) == 0 ? 1 + random.nextInt(4) : 0;
        return last;
    }

    private int anyFlags() {
        List<Integer> any = SCRIPTS.get(random.nextInt(SCRIPTS.size()));
        int flags = any.get(random.nextInt(any.size()));
        return random.nextInt(3) == 0 ? -flags : flags;
    }

    private SentSegment segment(int flags, End sender, End receiver, boolean answers) {
        boolean syn = (flags & SYN) != 0;
        byte[] options = options(flags, sender, receiver);
        int room = syn || (flags & RST) != 0 ? random.nextInt(12) / 11 : random.nextInt(2);
        int data = room * (1 + random.nextInt(random.nextInt(3) == 0 ? 1400 : 40));
        int sequence = sender.next;
        int acknowledgement = (flags & ACK) != 0 || random.nextInt(4) == 0 ? receiver.next : 0;
        boolean odd = random.nextInt(3) == 0;
        if (odd) {
            switch (random.nextInt(7)) {
                case 0 -> sequence += pick(NEAR);
                case 1 -> sequence = edge(sender, receiver) + pick(NEAR);
                case 2 -> sequence -= reach(receiver) + data + pick(NEAR);
                case 3 -> acknowledgement += pick(NEAR);
                case 4 -> acknowledgement += pick(FAR);
                case 5 -> sequence += pick(FAR);
                default -> {
                    sequence = random.nextInt(3) == 0 ? random.nextInt() : 0;
                    acknowledgement = random.nextBoolean() ? acknowledgement : 0;
                }
            }
        } else if ((flags & RST) != 0 && random.nextBoolean()) {
            sequence = receiver.acknowledged + pick(NEAR) / 2;
        }
        if (random.nextInt(4) == 0) {
            sender.window = random.nextInt(3) == 0 ? random.nextInt(1 << 16) : pick(WINDOWS);
        }
        int end = sequence + data + (flags >>> 1 & 1) + (flags & FIN);
        int forward = end - sender.next;
        if (forward > 0 && (!odd || forward < 20_000_000 && random.nextBoolean())) {
            sender.next = end;
        }
        if ((flags & ACK) != 0 && !odd) {
            sender.acknowledged = acknowledgement;
        }
        int offset = 5 + options.length / 4;
        if (random.nextInt(80) == 0) {
            offset = random.nextBoolean() ? random.nextInt(5) : 15;
        }
        int near = 1 + Math.floorMod(number, 2);
        return new SentSegment(
                six,
                answers ? 100 + near : near,
                answers ? near : 100 + near,
                answers ? 80 : 1024 + number,
                answers ? 1024 + number : 80,
                flags,
                sequence,
                acknowledgement,
                sender.window,
                offset,
                options,
                data,
                random.nextInt(12) != 0);
    }

    /** The right edge of what may be sent. */
    private static int edge(End sender, End receiver) {
        return receiver.acknowledged + reach(receiver);
    }

    private static int reach(End receiver) {
        return receiver.window << Math.max(0, Math.min(14, receiver.scale));
    }

    private byte[] options(int flags, End sender, End receiver) {
        ByteBuffer to = ByteBuffer.allocate(64);
        if (random.nextInt(3) > 0) {
            if ((flags & SYN) != 0) {
                to.put(new byte[] {2, 4, 5, (byte) 0xb4});
                if (random.nextInt(3) > 0) {
                    to.put(new byte[] {1, 1, 4, 2});
                }
                sender.scale = random.nextInt(3) > 0 ? random.nextInt(17) : -1;
                if (sender.scale >= 0) {
                    to.put(new byte[] {3, 3, (byte) sender.scale, 1});
                }
            } else if (random.nextBoolean()) {
                to.put(new byte[] {1, 1, 8, 10}).putLong(random.nextLong());
            }
            if (random.nextInt(4) == 0) {
                sack(to, receiver);
            }
        } else if ((flags & SYN) != 0) {
            sender.scale = -1;
        }
        if (random.nextInt(25) == 0) {
            to.put(new byte[] {(byte) random.nextInt(9), (byte) random.nextInt(9), 3, 2});
            to.put(new byte[] {3, 3, 7, (byte) random.nextInt(3)});
        }
        return Arrays.copyOf(to.array(), Math.min(to.position(), 40) & ~3);
    }

    private void sack(ByteBuffer to, End receiver) {
        int blocks = 1 + random.nextInt(2);
        to.put(new byte[] {1, 1, 5, (byte) (2 + 8 * blocks)});
        for (int i = 0; i < blocks; i++) {
            int edge = receiver.next + pick(NEAR) + (random.nextInt(6) == 0 ? pick(FAR) : 0);
            to.putInt(edge - random.nextInt(3000)).putInt(edge);
        }
    }
}
