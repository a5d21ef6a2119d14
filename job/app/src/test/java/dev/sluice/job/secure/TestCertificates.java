package dev.sluice.job.secure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Certificates that the JDK's keytool makes for a test: an authority, and who it has signed. */
final class TestCertificates {
    static final String PASSWORD = "store-password";

    private final Path folder;

    TestCertificates(Path folder) throws IOException, InterruptedException {
        this.folder = Files.createDirectories(folder);
        pair("authority", "CN=authority", "-ext", "bc:c");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "authority",
                "-keystore",
                store("authority"),
                "-file",
                file("authority.pem"));
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                "authority",
                "-keystore",
                trust(),
                "-file",
                file("authority.pem"));
    }

    /** A key store with a key that the authority has signed. */
    Path sign(String alias, String name) throws IOException, InterruptedException {
        pair(alias, name);
        keytool(
                "-certreq",
                "-alias",
                alias,
                "-keystore",
                store(alias),
                "-file",
                file(alias + ".csr"));
        keytool(
                "-gencert",
                "-rfc",
                "-alias",
                "authority",
                "-keystore",
                store("authority"),
                "-infile",
                file(alias + ".csr"),
                "-outfile",
                file(alias + ".pem"),
                "-ext",
                "san=dns:localhost,ip:127.0.0.1");
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                "authority",
                "-keystore",
                store(alias),
                "-file",
                file("authority.pem"));
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                alias,
                "-keystore",
                store(alias),
                "-file",
                file(alias + ".pem"));
        return store(alias);
    }

    /** A key store with a key that nobody has signed. */
    Path pair(String alias, String name, Object... more) throws IOException, InterruptedException {
        List<Object> line =
                new ArrayList<>(
                        List.of(
                                "-genkeypair",
                                "-alias",
                                alias,
                                "-dname",
                                name,
                                "-keyalg",
                                "EC",
                                "-validity",
                                "2",
                                "-keystore",
                                store(alias)));
        line.addAll(List.of(more));
        keytool(line.toArray());
        return store(alias);
    }

    Path store(String alias) {
        return file(alias + ".p12");
    }

    /** A trust store that holds the authority. */
    Path trust() {
        return file("trust.p12");
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    private void keytool(Object... words) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        for (Object word : words) {
            line.add(word.toString());
        }
        line.addAll(List.of("-storepass", PASSWORD, "-storetype", "PKCS12"));
        Path log = file("keytool.log");
        Process keytool =
                new ProcessBuilder(line)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        assertEquals(0, keytool.waitFor(), Files.readString(log));
    }
}
