package dev.sluice.job.capture;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** Writer of pcap files with times in ns. */
final class PcapWriter extends CaptureWriter {
    private static final int MAGIC_NANOS = 0xa1b23c4d;
    private static final long NANOS_A_SECOND = 1_000_000_000L;
    private static final long MAX_SECOND = 0xffffffffL;

    private final List<String> captures;
    private boolean begun;
    private boolean packets;
    private int linkType;

    PcapWriter(OutputStream out, List<String> captures) {
        super(out);
        this.captures = captures;
    }

    @Override
    void begin(int firstLinkType) throws IOException {
        if (begun) {
            return;
        }
        begun = true;
        linkType = firstLinkType;
        ByteBuffer head = head();
        head.putInt(MAGIC_NANOS).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0);
        head.putInt(CaptureReader.MAX_CAPTURED).putInt(firstLinkType);
        put(head);
    }

    @Override
    public void write(CaptureBatch batch, int index) throws IOException {
        KeptPackets.Kept packet = batch.kept().packet(index);
        begin(packet.linkType);
        if (packet.linkType != linkType) {
            throw new SluiceException(
                    "packet %d of %s has link type %d, and a pcap holds one, here %d%s; write pcapng"
                            .formatted(
                                    batch.number(index),
                                    captures.get(batch.capture()),
                                    packet.linkType,
                                    linkType,
                                    packets ? "" : ", that of the first packet read"));
        }
        packets = true;
        long seconds = 0;
        long nanos = 0;
        if (batch.hasTime(index) && batch.timeHigh(index) == 0) {
            seconds = Long.divideUnsigned(batch.timeLow(index), NANOS_A_SECOND);
            nanos = Long.remainderUnsigned(batch.timeLow(index), NANOS_A_SECOND);
        }
        boolean late = seconds > MAX_SECOND || batch.timeHigh(index) > 0;
        if (late) {
            seconds = MAX_SECOND;
            nanos = NANOS_A_SECOND - 1;
        }
        if (late || batch.timeHigh(index) < 0) {
            moveTime();
        }
        ByteBuffer head = head().putInt((int) seconds).putInt((int) nanos);
        put(head.putInt(packet.capturedLength).putInt(packet.wireLength));
        put(batch.kept().bytes(), packet.at, packet.capturedLength);
    }
}
