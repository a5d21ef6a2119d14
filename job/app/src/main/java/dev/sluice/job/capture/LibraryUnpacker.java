package dev.sluice.job.capture;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.sluice.job.capture.CaptureEnd.Kind;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.io.input.ProxyInputStream;
import org.jspecify.annotations.Nullable;

/** Decompressed content of a zstd or lz4 file of one or more frames, by a library. */
final class LibraryUnpacker extends Unpacker {
    private final Source source;
    private final Opening opening;
    private final Kind truncated;
    private final Kind corrupt;

    /** Library's stream, opened at the first read since the library then reads a frame's header. */
    private @Nullable InputStream unpacked;

    private boolean ended;

    /** Opens the library's stream. */
    private interface Opening {
        InputStream open(InputStream packed) throws IOException;
    }

    private LibraryUnpacker(InputStream packed, Opening opening, Kind truncated, Kind corrupt) {
        this.source = new Source(packed);
        this.opening = opening;
        this.truncated = truncated;
        this.corrupt = corrupt;
    }

    static Unpacker zstd(InputStream packed) {
        return new LibraryUnpacker(
                packed, ZstdInputStreamNoFinalizer::new, Kind.ZSTD_TRUNCATED, Kind.ZSTD_CORRUPT);
    }

    static Unpacker lz4(InputStream packed) {
        return new LibraryUnpacker(
                packed,
                in -> new FramedLZ4CompressorInputStream(in, true),
                Kind.LZ4_TRUNCATED,
                Kind.LZ4_CORRUPT);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (ended) {
            return -1;
        }
        try {
            InputStream in = unpacked == null ? opening.open(source) : unpacked;
            unpacked = in;
            int n = in.read(target, offset, length);
            ended = n < 0;
            return n;
        } catch (IOException | RuntimeException e) {
            ended = true;
            if (source.failure != null) {
                throw source.failure;
            }
            if (source.ended) {
                defect(truncated, "the compressed data ends within a frame", source.count);
            } else {
                defect(corrupt, String.valueOf(e.getMessage()), source.count);
            }
            return -1;
        }
    }

    @Override
    public void close() throws IOException {
        InputStream in = unpacked;
        if (in != null) {
            in.close();
        }
        source.close();
    }

    /** Compressed bytes; distinguishes a failure to read from a failure to decompress. */
    private static final class Source extends ProxyInputStream {
        private long count;
        private boolean ended;
        private @Nullable IOException failure;

        Source(InputStream packed) {
            super(packed);
        }

        @Override
        protected void afterRead(int n) {
            ended |= n < 0;
            count += Math.max(0, n);
        }

        @Override
        protected void handleIOException(IOException e) throws IOException {
            failure = e;
            throw e;
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
