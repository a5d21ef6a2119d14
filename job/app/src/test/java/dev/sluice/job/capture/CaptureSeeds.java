package dev.sluice.job.capture;

import com.github.luben.zstd.Zstd;
import dev.sluice.schemas.testing.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;

/** Good packets and captures of all kinds, for hostile ones to be made of. */
public final class CaptureSeeds {
    private static final int EACH = 3;

    private static final int MODIFIED = 0xa1b2cd34;
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;

    private CaptureSeeds() {}

    /** Packets of the link types, tags and tunnels, each behind its link type in two bytes. */
    public static List<byte[]> packets() {
        List<byte[]> seeds = new ArrayList<>();
        Random random = TestSeed.random(11);
        LinkFrames links = new LinkFrames(random);
        TunnelFrames tunnels = new TunnelFrames(random);
        for (int i = 0; i < EACH; i++) {
            for (int linkType : LinkFrames.LINK_TYPES) {
                seeds.add(seed(linkType, links.packet(linkType)));
            }
            seeds.add(seed(1, links.tagged(LinkTag.values())));
        }
        for (int i = 0; i < 10 * EACH; i++) {
            seeds.add(seed(1, i % 2 == 0 ? tunnels.rareFrame() : tunnels.frame(3)));
        }
        return seeds;
    }

    private static byte[] seed(int linkType, byte[] packet) {
        ByteBuffer out = ByteBuffer.allocate(2 + packet.length);
        return out.putShort((short) linkType).put(packet).array();
    }

    /** A capture, compressed in each way, and modified. */
    public static List<byte[]> captures() throws IOException {
        TunnelFrames frames = new TunnelFrames(TestSeed.random(12));
        byte[] pcap =
                TunnelTruthTest.pcap(Stream.generate(() -> frames.frame(2)).limit(20).toList());
        ByteArrayOutputStream lz4 = new ByteArrayOutputStream();
        try (FramedLZ4CompressorOutputStream out = new FramedLZ4CompressorOutputStream(lz4)) {
            out.write(pcap);
        }
        return List.of(pcap, modified(pcap), Zstd.compress(pcap), lz4.toByteArray());
    }

    /** The same packets in the modified form of pcap, whose record headers have 8 bytes more. */
    private static byte[] modified(byte[] pcap) {
        ByteBuffer out = ByteBuffer.allocate(2 * pcap.length);
        out.put(pcap, 0, FILE_HEADER).putInt(0, MODIFIED);
        for (int at = FILE_HEADER; at < pcap.length; ) {
            int captured = ByteBuffer.wrap(pcap).getInt(at + 8);
            out.put(pcap, at, RECORD_HEADER).putLong(0).put(pcap, at + RECORD_HEADER, captured);
            at += RECORD_HEADER + captured;
        }
        return Arrays.copyOf(out.array(), out.position());
    }
}
