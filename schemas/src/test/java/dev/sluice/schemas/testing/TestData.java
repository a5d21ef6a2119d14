package dev.sluice.schemas.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/** The project's own test data. */
public final class TestData {
    private TestData() {}

    /** A file of test-data/office. */
    public static Path office(String name) {
        return inCheckout("test-data/office/" + name);
    }

    /** A file or folder of the checkout, by its path from the root. */
    public static Path inCheckout(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path file = at.resolve(name);
            if (Files.exists(file)) {
                return file;
            }
        }
        throw new AssertionError(name + " is missing from the checkout");
    }
}
