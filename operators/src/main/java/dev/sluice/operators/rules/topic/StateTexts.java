package dev.sluice.operators.rules.topic;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Texts in a checkpoint, of any length: ids are what a publisher says they are. */
public final class StateTexts {
    private StateTexts() {}

    public static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    public static String read(DataInputStream in) throws IOException {
        int length = in.readInt();
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("it ends within a text");
        }
        return new String(bytes, UTF_8);
    }
}
