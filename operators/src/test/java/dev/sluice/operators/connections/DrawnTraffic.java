package dev.sluice.operators.connections;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Random headers, and the state that the reference with one map tells of each. */
public final class DrawnTraffic {
    private static final long[] PAUSES = {
        0, 1, 1_000_000, 100_000_000, 2_000_000_001L, 10_000_000_000L, 30_000_000_000L
    };

    private final Random random;
    private final LongUnaryOperator rules;
    private final ReferenceTracker reference = new ReferenceTracker(true, Map.of());
    private @Nullable DrawnPacket last;
    private int @Nullable [] firstFragment;
    private int firstState;
    private long time = 1_000_000_000_000L;
    private int datagrams;
    private int state;
    private boolean tracked;

    public DrawnTraffic(Random random) {
        this(random, time -> 0);
    }

    /**
     * Headers whose connections are judged anew when rules change.
     *
     * @param rules version of the rules by time
     */
    public DrawnTraffic(Random random, LongUnaryOperator rules) {
        this.random = random;
        this.rules = rules;
    }

    /** Time of the last header, in ns. */
    public long time() {
        return time;
    }

    /** State of the last header, as {@link ConnectionTracker} tells it. */
    public int state() {
        return state;
    }

    /** Tells whether the last header is judged as if it began its connection, which is open. */
    public boolean isAnew() {
        return tracked && reference.anew != null;
    }

    /** Takes the fate of the last header. */
    public void decided(boolean passed) {
        if (tracked) {
            reference.decided(passed);
        }
    }

    /** The next header: {@link HeaderWord#COUNT} words. */
    public int[] next() {
        if (random.nextInt(8) == 0) {
            time += PAUSES[random.nextInt(PAUSES.length)];
        }
        int[] first = firstFragment;
        if (first != null && random.nextInt(3) == 0) {
            state = firstState;
            tracked = false;
            return later(first);
        }
        DrawnPacket packet = draw();
        int[] header = header(packet);
        reference.rules = rules.applyAsLong(time);
        state = reference.state(packet, time);
        tracked = true;
        boolean ported = packet.protocol() == 6 || packet.protocol() == 17;
        if (ported && random.nextInt(10) == 0) {
            Field.FRAGMENT.put(header, Field.FRAGMENT_FIRST);
            Field.IP_ID.put(header, ++datagrams);
            firstFragment = header;
            firstState = state;
        }
        last = packet;
        return header;
    }

    private DrawnPacket draw() {
        DrawnPacket about = last;
        if (about != null && random.nextInt(10) == 0) {
            boolean four = about.version() == 4;
            int type = four ? 3 : 1;
            return new DrawnPacket(
                    about.version(),
                    about.destination(),
                    about.source(),
                    four ? 1 : 58,
                    0,
                    type << 8,
                    0,
                    about);
        }
        return DrawnPacket.random(random, DrawnPacket.PROTOCOLS, 3, 0);
    }

    private static int[] header(DrawnPacket packet) {
        int[] header = new int[HeaderWord.COUNT];
        boolean six = packet.version() == 6;
        Field.IP_VERSION.put(header, six ? Field.VERSION_6 : Field.VERSION_4);
        Field.IP_PROTO.put(header, packet.protocol());
        address(header, six ? HeaderWord.IPV6_SRC : HeaderWord.IPV4_SRC, six, packet.source());
        address(header, six ? HeaderWord.IPV6_DST : HeaderWord.IPV4_DST, six, packet.destination());
        DrawnPacket about = packet.embedded();
        if (packet.isControl()) {
            Field.PORTS_PRESENT.put(header, 1);
            header[HeaderWord.PORTS] = packet.to() >>> 8 << 16 | packet.to() & 0xff;
            Field.FLOW_PRESENT.put(header, 1);
            if (about != null) {
                Field.FLOW_DST_PRESENT.put(header, 1);
                Field.FLOW_PROTO.put(header, about.protocol());
                address(header, HeaderWord.FLOW_DST, six, about.destination());
                header[HeaderWord.FLOW_PORTS] = flow(about);
            } else {
                Field.FLOW_PROTO.put(header, packet.protocol());
                header[HeaderWord.FLOW_PORTS] = flow(packet);
            }
        } else if (List.of(6, 17, 132, 136).contains(packet.protocol())) {
            Field.PORTS_PRESENT.put(header, 1);
            header[HeaderWord.PORTS] = flow(packet);
            header[HeaderWord.TCP_FLAGS] = packet.protocol() == 6 ? packet.flags() : 0;
            if (packet.tellsChunks()) {
                Field.SEGMENT_PRESENT.put(header, 1);
                packet.putChunks(header);
            }
        }
        if (packet.protocol() == 47) {
            Field.FLOW_PROTO.put(header, 47);
            Field.FLOW_PORTS.put(header, flow(packet));
        }
        return header;
    }

    private static void address(int[] header, int word, boolean six, String address) {
        int last = Integer.parseUnsignedInt(address, 16);
        if (six) {
            header[word] = 7;
            header[word + 3] = last;
        } else {
            header[word] = last;
        }
    }

    private static int flow(DrawnPacket packet) {
        if (packet.isControl()) {
            return packet.to() << 16 | packet.from();
        }
        return packet.sourcePort() << 16 | packet.destinationPort();
    }

    private static int[] later(int[] first) {
        int[] header = first.clone();
        Field.FRAGMENT.put(header, Field.FRAGMENT_LATER);
        Field.PORTS_PRESENT.put(header, 0);
        header[HeaderWord.PORTS] = 0;
        header[HeaderWord.TCP_FLAGS] = 0;
        Field.FLOW_PRESENT.put(header, 1);
        Field.FLOW_PROTO.put(header, Field.IP_PROTO.extract(header[HeaderWord.IP]));
        header[HeaderWord.FLOW_PORTS] = first[HeaderWord.PORTS];
        return header;
    }
}
