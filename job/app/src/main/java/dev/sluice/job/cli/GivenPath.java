package dev.sluice.job.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Path of a command's argument. Java hands bytes that are no UTF-8 over as U+FFFD, by which no file
 * is found; a folder's list has their bytes: the file is looked up there by what Java makes of it.
 */
final class GivenPath implements ITypeConverter<Path> {
    private static final char REPLACED = '\uFFFD';

    @Override
    public Path convert(String value) {
        Path given = Path.of(value);
        return value.indexOf(REPLACED) < 0 || exists(given) ? given : find(given);
    }

    private static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** The path with names from folders' lists, as far as there are such. */
    private static Path find(Path given) {
        Path root = given.getRoot();
        Path found = root == null ? Path.of("") : root;
        for (Path name : given) {
            Path next = found.resolve(name);
            boolean replaced = name.toString().indexOf(REPLACED) >= 0 && !exists(next);
            found = replaced ? inFolder(found, next) : next;
        }
        return found;
    }

    private static Path inFolder(Path folder, Path wanted) {
        String name = String.valueOf(wanted.getFileName());
        @Nullable Path found = null;
        try (DirectoryStream<Path> entries =
                Files.newDirectoryStream(
                        folder.toString().isEmpty() ? Path.of(".") : folder,
                        entry -> String.valueOf(entry.getFileName()).equals(name))) {
            for (Path entry : entries) {
                if (found != null) {
                    throw new TypeConversionException(
                            "several files are called %s but for bytes that are no UTF-8; rename the one that is meant"
                                    .formatted(wanted));
                }
                found = entry;
            }
        } catch (IOException e) {
            return wanted; // who opens it says what is wrong
        }
        return found == null ? wanted : found;
    }
}
