package dev.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;

/**
 * Stream of UTF-8 text that escapes control characters as {@link EscapedText} does, for all
 * writers: logs, libraries, the virtual machine. Line ends and tabs stay.
 */
public final class EscapedStream extends PrintStream {
    private final PrintStream behind;

    /** Creates a stream over another one, which stays open. */
    public EscapedStream(PrintStream behind) {
        super(new Escaping(behind), true, UTF_8);
        this.behind = behind;
    }

    /** Returns the stream that takes control characters unchanged, for Sluice's own status line. */
    public static PrintStream behind(PrintStream stream) {
        return stream instanceof EscapedStream escaped ? escaped.behind : stream;
    }

    /** Output that keeps the first bytes of a character until the next write completes it. */
    private static final class Escaping extends OutputStream {
        private static final int LONGEST = 4;

        private final PrintStream to;
        private final CharsetDecoder decoder =
                UTF_8.newDecoder()
                        .onMalformedInput(CodingErrorAction.REPLACE)
                        .onUnmappableCharacter(CodingErrorAction.REPLACE);
        private byte[] begun = new byte[0];

        Escaping(PrintStream to) {
            this.to = to;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) throws IOException {
            ByteBuffer in = ByteBuffer.allocate(begun.length + length);
            in.put(begun).put(bytes, from, length).flip();
            CharBuffer text = CharBuffer.allocate(in.remaining() + LONGEST);
            decoder.reset().decode(in, text, false);
            begun = new byte[in.remaining()];
            in.get(begun);
            to.write(EscapedText.lines(text.flip().toString()).getBytes(UTF_8));
        }

        @Override
        public void flush() {
            to.flush();
        }
    }
}
