package dev.sluice.job.capture;

import static dev.sluice.job.capture.CaptureEnd.Kind.GZ_CORRUPT;
import static dev.sluice.job.capture.CaptureEnd.Kind.GZ_TRAILING_GARBAGE;
import static dev.sluice.job.capture.CaptureEnd.Kind.GZ_TRUNCATED;

import dev.sluice.job.capture.CaptureEnd.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompressed content of a gzip file of one or more members (RFC 1952).
 *
 * <p>Unlike the JDK's stream it distinguishes a cut file, a corrupt file, and a file with other
 * bytes after its last member.
 */
final class GzipMembers extends Unpacker {
    /** First two bytes of each member. */
    static final int MAGIC = 0x1f8b;

    private static final int TRAILER_BYTES = 8;

    private final ByteWindow packed;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private boolean inMember;
    private boolean ended;
    private long members;

    GzipMembers(InputStream in) {
        this.packed = new ByteWindow(in);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        while (!ended) {
            if (!inMember && !startMember()) {
                return -1;
            }
            long before = inflater.getBytesWritten();
            int n;
            try {
                n = inflater.inflate(target, offset, length);
            } catch (DataFormatException e) {
                giveBackRest();
                end(GZ_CORRUPT, "deflate data: " + e.getMessage());
                // Bytes that the same call has inflated before the damage are valid.
                n = (int) (inflater.getBytesWritten() - before);
            }
            if (n > 0) {
                crc.update(target, offset, n);
                return n;
            }
            if (ended) {
                return -1;
            }
            if (inflater.finished()) {
                endMember();
            } else if (inflater.needsDictionary()) {
                giveBackRest();
                end(GZ_CORRUPT, "a preset dictionary is asked for");
            } else {
                feed();
            }
        }
        return -1;
    }

    private void feed() throws IOException {
        if (!packed.has(1)) {
            end(GZ_TRUNCATED, "the compressed data ends within a member");
            return;
        }
        // The inflater gets all available bytes; giveBackRest puts back those that it leaves.
        int n = packed.available();
        inflater.setInput(packed.bytes(), packed.position(), n);
        packed.consume(n);
    }

    /** Sets the position of the packed bytes after the last inflated one. */
    private void giveBackRest() {
        packed.consume(-inflater.getRemaining());
    }

    private void endMember() throws IOException {
        giveBackRest();
        if (!packed.has(TRAILER_BYTES)) {
            end(GZ_TRUNCATED, "the compressed data ends within a member's checksum");
            return;
        }
        int statedCrc = Bytes.intLe(packed.bytes(), packed.position());
        int statedSize = Bytes.intLe(packed.bytes(), packed.position() + 4);
        if (statedCrc != (int) crc.getValue() || statedSize != (int) inflater.getBytesWritten()) {
            end(GZ_CORRUPT, "checksum or size of member " + members + " does not fit");
            return;
        }
        packed.consume(TRAILER_BYTES);
        inMember = false;
    }

    private boolean startMember() throws IOException {
        if (!packed.has(1)) {
            ended = true;
            return false;
        }
        if (!packed.has(2) || Bytes.shortBe(packed.bytes(), packed.position()) != MAGIC) {
            ended = members > 0 && onlyZerosFollow();
            return !ended
                    && end(GZ_TRAILING_GARBAGE, "bytes that are not gzip follow member " + members);
        }
        if (!memberHeader()) {
            return false;
        }
        members++;
        inflater.reset();
        crc.reset();
        inMember = true;
        return true;
    }

    /**
     * Reads a member's header (RFC 1952 section 2.3): fixed part, extra field, name, comment,
     * header checksum.
     */
    private boolean memberHeader() throws IOException {
        if (!packed.has(10)) {
            return cutHeader();
        }
        byte[] b = packed.bytes();
        int at = packed.position();
        int flags = b[at + 3] & 0xff;
        if (b[at + 2] != 8 || (flags & 0xe0) != 0) {
            return end(GZ_CORRUPT, "a member's header names an unknown method or flag");
        }
        packed.consume(10);
        if ((flags & 4) != 0) {
            boolean told = packed.has(2);
            if (!pass(told ? 2 + Bytes.shortLe(packed.bytes(), packed.position()) : 2)) {
                return false;
            }
        }
        for (int text = flags >> 3 & 3; text != 0; text &= text - 1) {
            byte last = 1;
            while (last != 0) {
                if (!pass(1)) {
                    return false;
                }
                last = packed.bytes()[packed.position() - 1];
            }
        }
        return (flags & 2) == 0 || pass(2);
    }

    /** Passes over bytes of a header, if they are there. */
    private boolean pass(int n) throws IOException {
        if (!packed.has(n)) {
            return cutHeader();
        }
        packed.consume(n);
        return true;
    }

    private boolean cutHeader() {
        return end(GZ_TRUNCATED, "the compressed data ends within a member's header");
    }

    private boolean onlyZerosFollow() throws IOException {
        while (packed.has(1)) {
            if (packed.bytes()[packed.position()] != 0) {
                return false;
            }
            packed.consume(1);
        }
        return true;
    }

    private boolean end(Kind kind, String what) {
        defect(kind, what, packed.offset());
        ended = true;
        return false;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        packed.close();
    }
}
