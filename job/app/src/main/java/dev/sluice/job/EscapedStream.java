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
 * A stream of text in UTF-8 that shows control characters as {@link EscapedText}, whoever writes to
 * it: a log, a library, the virtual machine. Line ends and tabs stay.
 */
public final class EscapedStream extends PrintStream {
    private final PrintStream behind;

    /** A stream in front of another one, which stays open. */
    public EscapedStream(PrintStream behind) {
        super(new Escaping(behind), true, UTF_8);
        this.behind = behind;
    }

    /** The stream that takes control characters as they are: of our own status line. */
    public static PrintStream behind(PrintStream stream) {
        return stream instanceof EscapedStream escaped ? escaped.behind : stream;
    }

    /** Keeps the beginning of a character whose other bytes come with the next write. */
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
