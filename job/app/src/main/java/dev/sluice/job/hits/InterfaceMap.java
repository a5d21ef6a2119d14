package dev.sluice.job.hits;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names that the policy has for the interfaces of captures, by their names or numbers there. */
public final class InterfaceMap implements Serializable {
    private static final long serialVersionUID = 1L;

    /** No names. */
    public static final InterfaceMap NONE = new InterfaceMap(new LinkedHashMap<>());

    private static final int MOST_NAME = 15;

    private final Map<String, String> names;

    private InterfaceMap(Map<String, String> names) {
        this.names = names;
    }

    /**
     * Reads a file of lines {@code CAPTURED NAME}.
     *
     * @throws SluiceException naming file, line and remedy
     */
    public static InterfaceMap read(Path file) {
        Map<String, String> names = new LinkedHashMap<>();
        TextFiles.eachEntry(
                file,
                "file of interfaces",
                (line, text) -> {
                    String place = file + ":" + line + ": '" + text + "'";
                    String[] words = text.split("\\s+", -1);
                    if (words.length != 2 || words[1].length() > MOST_NAME) {
                        throw new SluiceException(
                                place
                                        + " is no interface; write its name or number in the capture, then its name in the policy, as in: 0 eth0");
                    }
                    String before = names.put(words[0], words[1]);
                    if (before != null && !before.equals(words[1])) {
                        throw new SluiceException(
                                "%s: the interface is %s before; keep one of the lines"
                                        .formatted(place, before));
                    }
                });
        return new InterfaceMap(names);
    }

    @Override
    public String toString() {
        return names.toString();
    }

    /** Returns whether it has no names. */
    boolean isEmpty() {
        return names.isEmpty();
    }

    /** The policy's names, in the order of the file. */
    public List<String> names() {
        return names.values().stream().distinct().toList();
    }

    /** The policy's name of an interface; null: the file has none. */
    @Nullable String name(String captured) {
        return names.get(captured);
    }
}
