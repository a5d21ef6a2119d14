package dev.sluice.job.capture;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writer of pcapng files with an interface for each interface of each capture, described by the
 * capture's name. Times are in ns.
 *
 * <p>A packet without a time is a simple packet block. Such a block belongs to the first interface
 * of its section; for another interface a new section begins.
 */
final class PcapngWriter extends CaptureWriter {
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    private static final int OPTION_DESCRIPTION = 3;
    private static final int OPTION_TSRESOL = 9;
    private static final byte NANOS = 9;
    private static final int MOST_DESCRIPTION = 128;
    private static final byte[] PADDING = new byte[4];

    /** Maximal number of interfaces of a section, as for the reader. */
    private static final int MOST_INTERFACES = 65_536;

    private final byte[][] names;
    private final Map<Interface, Integer> interfaces = new HashMap<>();
    private @Nullable Interface first;
    private boolean begun;

    /** Interface; {@code snapLength} 0 means no limit, as for all but simple packets. */
    private record Interface(int capture, int section, int id, int linkType, int snapLength) {}

    PcapngWriter(OutputStream out, List<String> captures) {
        super(out);
        names = new byte[captures.size()][];
        for (int i = 0; i < names.length; i++) {
            String name = captures.get(i);
            name = name.substring(Math.max(0, name.length() - MOST_DESCRIPTION / 4));
            names[i] = name.getBytes(StandardCharsets.UTF_8);
        }
    }

    @Override
    void begin(int linkType) throws IOException {
        if (!begun) {
            section();
            describe(new Interface(0, 0, 0, linkType, 0));
        }
    }

    private void section() throws IOException {
        begun = true;
        interfaces.clear();
        first = null;
        ByteBuffer head = head();
        head.putInt(CaptureMagic.SECTION_HEADER).putInt(28).putInt(CaptureMagic.BYTE_ORDER_MAGIC);
        head.putShort((short) 1).putShort((short) 0).putLong(-1).putInt(28);
        put(head);
    }

    private int describe(Interface source) throws IOException {
        byte[] name = names[source.capture];
        int padded = padded(name.length);
        int length = 20 + 4 + padded + 8 + 4;
        ByteBuffer head = head();
        head.putInt(INTERFACE_DESCRIPTION).putInt(length);
        head.putShort((short) source.linkType).putShort((short) 0).putInt(source.snapLength);
        head.putShort((short) OPTION_DESCRIPTION).putShort((short) name.length);
        head.put(name).put(PADDING, 0, padded - name.length);
        head.putShort((short) OPTION_TSRESOL).putShort((short) 1);
        head.put(NANOS).put(PADDING, 0, 3).putInt(0).putInt(length);
        put(head);
        int index = interfaces.size();
        interfaces.put(source, index);
        if (index == 0) {
            first = source;
        }
        return index;
    }

    @Override
    public void write(CaptureBatch batch, int index) throws IOException {
        KeptPackets.Kept packet = batch.kept().packet(index);
        int captured = packet.capturedLength;
        boolean timed = batch.hasTime(index);
        int snapLength = timed || captured == packet.wireLength ? 0 : captured;
        Interface source =
                new Interface(
                        batch.capture(),
                        packet.section,
                        packet.interfaceId,
                        packet.linkType,
                        snapLength);
        if (!begun
                || interfaces.size() == MOST_INTERFACES && !interfaces.containsKey(source)
                || !timed && !source.equals(first)) {
            section();
        }
        Integer known = interfaces.get(source);
        int id = known == null ? describe(source) : known;
        int length = (timed ? 32 : 16) + padded(captured);
        ByteBuffer head = head();
        head.putInt(timed ? ENHANCED_PACKET : SIMPLE_PACKET).putInt(length);
        if (timed) {
            long time = time(batch, index);
            head.putInt(id).putInt((int) (time >>> 32)).putInt((int) time).putInt(captured);
        }
        put(head.putInt(packet.wireLength));
        put(batch.kept().bytes(), packet.at, captured);
        put(PADDING, 0, padded(captured) - captured);
        put(head().putInt(length));
    }

    /** Returns the time in ns, unsigned. */
    private long time(CaptureBatch batch, int packet) {
        int high = batch.timeHigh(packet);
        if (high == 0) {
            return batch.timeLow(packet);
        }
        moveTime();
        return high < 0 ? 0 : -1;
    }

    private static int padded(int length) {
        return length + 3 & ~3;
    }
}
