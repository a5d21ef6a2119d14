package dev.sluice.policy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A rule file, or one list of a file that holds several, named {@code FILE#LIST}. A file whose
 * whole name has a {@code #} comes first.
 *
 * @param list the list's name; null: the file holds one list
 */
public record RuleList(Path file, @Nullable String list) {
    /** The file and the list that a name stands for. */
    public static RuleList of(Path given) {
        String name = given.toString();
        int hash = name.lastIndexOf('#');
        if (hash <= 0 || Files.exists(given)) {
            return new RuleList(given, null);
        }
        while (!Files.exists(Path.of(name.substring(0, hash)))
                && name.lastIndexOf('#', hash - 1) > 0) {
            hash = name.lastIndexOf('#', hash - 1);
        }
        return new RuleList(Path.of(name.substring(0, hash)), name.substring(hash + 1));
    }

    /** The name by which a user asks for a list of this file. */
    String named(String other) {
        return file + "#" + other;
    }
}
