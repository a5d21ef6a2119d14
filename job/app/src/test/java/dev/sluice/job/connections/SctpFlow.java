package dev.sluice.job.connections;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Random SCTP packets between two ends, of which most make sense: associations that open and close,
 * paths that begin with a HEARTBEAT, and packets with other tags, other chunks or malformed ones.
 */
final class SctpFlow implements Supplier<Sent> {
    /** The types of chunks, by the letter of a script. */
    private static final String LETTERS = "DIiKHhASsECcF.x";

    /**
     * Packets of usual associations, from who answers behind a minus. Letters are chunks: D DATA, I
     * INIT, i INIT ACK, K SACK, H HEARTBEAT, h its ACK, A ABORT, S SHUTDOWN, s its ACK, E ERROR, C
     * COOKIE ECHO, c COOKIE ACK, x SHUTDOWN COMPLETE, T and X ABORT and COMPLETE with the T bit.
     */
    private static final List<String> SCRIPTS =
            List.of(
                    "I -i C -c D -K D -KD K H -h S -s x D I",
                    "I -i CD -cK -D K -S s -x I -i C -c",
                    "I I -i -i C C -c -D S -D -s X -X",
                    "I -i C -E -A I -i C -c A -A I",
                    "I -i C -c D -T I -i C -c T -D",
                    "I -A I -i A I",
                    "I -I -i i C -c -C c D -D H -h",
                    "I -i C -c D I -i C -c D -D",
                    "I -i C -c D -I i -C c -D D",
                    "H -h D -D H -h S -s x",
                    "H H -H -h h D -D A",
                    "H -D -h D -I I -i C -c",
                    "s -x s -T s -D",
                    "h H -h i -i E S C D",
                    "I -i C -c HD -hK HS -hD -H h s x",
                    "I -i C -c S -S s -s x -x");

    private static final int INIT = 1;
    private static final int INIT_ACK = 2;

    private final Random random;
    private final boolean six;
    private final int number;
    private final int[] tags = new int[2];
    private List<String> script = List.of();
    private int step;

    SctpFlow(Random random, int number) {
        this.random = random;
        this.number = number;
        six = random.nextInt(4) == 0;
        newTags();
    }

    private void newTags() {
        tags[0] = random.nextInt();
        tags[1] = random.nextInt(6) == 0 ? tags[0] : random.nextInt();
    }

    /** Packets of flows in turns. */
    static List<Sent> history(Random random, int flows) {
        List<Sent> packets = new ArrayList<>();
        List<SctpFlow> open = new ArrayList<>();
        for (int i = 0; i < flows || !open.isEmpty(); ) {
            if (i < flows && open.size() < 40) {
                open.add(new SctpFlow(random, i++));
            }
            SctpFlow flow = open.get(random.nextInt(open.size()));
            packets.add(flow.get());
            if (random.nextInt(20) == 0) {
                open.remove(flow);
            }
        }
        return packets;
    }

    @Override
    public Sent get() {
        if (random.nextInt(25) == 0) {
            return error();
        }
        if (step == script.size()) {
            script = Arrays.asList(SCRIPTS.get(random.nextInt(SCRIPTS.size())).split(" "));
            step = 0;
            if (random.nextInt(3) == 0) {
                newTags();
            }
        }
        String packet = random.nextInt(8) == 0 ? any() : script.get(step++);
        boolean answers = packet.startsWith("-");
        return packet(answers ? packet.substring(1) : packet, answers);
    }

    private String any() {
        StringBuilder packet = new StringBuilder(random.nextBoolean() ? "-" : "");
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            packet.append("DIiKHhASsECcFxTXHhS".charAt(random.nextInt(19)));
        }
        return packet.toString();
    }

    /** The expected tag, or rarely another one. */
    private int tag(String chunks, int sender) {
        if (random.nextInt(9) == 0) {
            return random.nextInt(5) == 0 ? 0 : random.nextBoolean() ? tags[sender] : 77;
        }
        char first = chunks.charAt(0);
        return first == 'I' ? 0 : tags[first == 'T' || first == 'X' ? sender : 1 - sender];
    }

    private Sent packet(String chunks, boolean answers) {
        int sender = answers ? 1 : 0;
        ByteBuffer to = ByteBuffer.allocate(400);
        to.putShort((short) (answers ? 2905 : 1024 + number));
        to.putShort((short) (answers ? 1024 + number : 2905));
        to.putInt(tag(chunks, sender)).putInt(0);
        for (char letter : chunks.toCharArray()) {
            chunk(to, letter, sender);
        }
        int length = to.position();
        if (random.nextInt(40) == 0) {
            length = 4 + random.nextInt(length - 4);
        }
        byte[] payload = Arrays.copyOf(to.array(), length);
        return sent(payload, chunks, answers);
    }

    private Sent sent(byte[] payload, String about, boolean answers) {
        int near = 1 + Math.floorMod(number, 2);
        int far = 100 + near;
        boolean passes = random.nextInt(12) != 0;
        return new SentPayload(
                six, answers ? far : near, answers ? near : far, 132, payload, about, passes);
    }

    private void chunk(ByteBuffer to, char letter, int sender) {
        boolean reflected = letter == 'T' || letter == 'X';
        int type =
                switch (letter) {
                    case 'T' -> 6;
                    case 'X', 'x' -> 14;
                    case 'F' -> 192;
                    default -> LETTERS.indexOf(letter);
                };
        int bytes = type == INIT || type == INIT_ACK ? 16 : 4 * random.nextInt(4);
        int length = 4 + bytes;
        if (random.nextInt(60) == 0) {
            length = random.nextInt(30);
        } else if (bytes > 0 && type > INIT_ACK) {
            length -= random.nextInt(4); // with padding
        }
        to.put((byte) type).put((byte) (reflected ? 1 : 0)).putShort((short) length);
        int start = to.position();
        if (type == INIT || type == INIT_ACK) {
            boolean odd = random.nextInt(10) == 0;
            to.putInt(odd ? random.nextInt(2) * 99 : tags[sender]);
        }
        to.position(start + bytes);
    }

    /** An ICMP error about a packet between the two ends. */
    private Sent error() {
        int near = 1 + Math.floorMod(number, 2);
        int version = six ? 6 : 4;
        boolean answers = random.nextBoolean();
        int from = answers ? 100 + near : near;
        int to = answers ? near : 100 + near;
        SentPacket about =
                new SentPacket(
                        version,
                        from,
                        to,
                        132,
                        answers ? 2905 : 1024 + number,
                        answers ? 1024 + number : 2905,
                        0,
                        0,
                        0,
                        null,
                        true);
        return new SentPacket(
                version, to, from, six ? 58 : 1, 0, six ? 1 << 8 : 3 << 8, 0, 0, 0, about, true);
    }
}
