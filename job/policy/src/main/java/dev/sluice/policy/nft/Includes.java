package dev.sluice.policy.nft;

import dev.sluice.policy.TextFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Files that a ruleset includes: those beside the file, or of a whole path. */
final class Includes {
    /** Files that may include each other in a row, as in nft. */
    private static final int MOST = 16;

    private int depth;

    /** A file and its text. */
    record Included(String name, String text) {}

    /** The files of a name, whose last part may have wildcards. */
    List<Included> open(Token name) throws RefusedException {
        Path including = Path.of(name.at().file()).toAbsolutePath().getParent();
        List<Included> files = new ArrayList<>();
        try {
            Path path = including == null ? Path.of(name.text()) : including.resolve(name.text());
            for (Path file : files(path)) {
                if (!Files.isRegularFile(file)) {
                    throw name.refused(
                            "is no file that Sluice finds; put it beside the file that includes it,"
                                    + " or judge the output of nft list ruleset");
                }
                try (BufferedReader in = TextFiles.open(file)) {
                    files.add(new Included(file.toString(), TextFiles.text(in)));
                }
            }
        } catch (IOException | RuntimeException e) {
            throw name.refused(
                    "cannot be read (%s); judge the output of nft list ruleset"
                            .formatted(e.getMessage()));
        }
        return files;
    }

    /** Begins with an included file. */
    void enter(Token name) throws RefusedException {
        if (depth == MOST) {
            throw name.refused("is included by %d files in a row; include fewer".formatted(MOST));
        }
        depth++;
    }

    /** Ends an included file. */
    void leave() {
        depth--;
    }

    private static List<Path> files(Path path) throws IOException {
        String name = String.valueOf(path.getFileName());
        Path folder = path.getParent();
        if (!name.matches(".*[*?\\[].*") || folder == null) {
            return List.of(path);
        }
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, name)) {
                for (Path file : all) {
                    if (name.startsWith(".") || !file.getFileName().toString().startsWith(".")) {
                        files.add(file);
                    }
                }
            }
        }
        Collections.sort(files);
        return files;
    }
}
