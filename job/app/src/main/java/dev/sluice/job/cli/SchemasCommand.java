package dev.sluice.job.cli;

import dev.sluice.policy.TextFiles;
import dev.sluice.schemas.codec.MessageSchemas;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaFormatter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice schemas}: the Avro schemas of all messages. */
@Command(
        name = "schemas",
        description = {
            "Lists the Avro schemas of all messages, old versions too, by fingerprint (CRC-64-AVRO). "
                    + "A message begins with the bytes C3 01 and its fingerprint, least significant byte first.",
            ""
        })
final class SchemasCommand extends SluiceCommand {
    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write each schema to DIR/FINGERPRINT.avsc.")
    private @Nullable Path out;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        if (out != null) {
            OutputPath.makeFolder("--out", out, List.of(), List.of());
        }
        PrintWriter print = out();
        if (!json.isGiven()) {
            print.println("fingerprint\tschema\tversion\tcurrent");
        }
        for (String name : MessageSchemas.NAMES) {
            List<Schema> released = MessageSchemas.history(name);
            for (int i = 0; i < released.size(); i++) {
                String fingerprint = "%016x".formatted(MessageSchemas.fingerprint(released.get(i)));
                boolean current = i == released.size() - 1;
                if (json.isGiven()) {
                    JsonOption.print(
                            print,
                            JsonOption.object()
                                    .put("fingerprint", fingerprint)
                                    .put("schema", name)
                                    .put("version", i + 1)
                                    .put("current", current));
                } else {
                    print.printf(
                            "%s\t%s\t%d\t%s%n", fingerprint, name, i + 1, current ? "yes" : "no");
                }
                if (out != null) {
                    write(
                            out,
                            fingerprint,
                            current ? MessageSchemas.current(name) : released.get(i));
                }
            }
        }
        return 0;
    }

    private static void write(Path folder, String fingerprint, Schema schema) {
        TextFiles.write(
                folder.resolve(fingerprint + ".avsc"),
                SchemaFormatter.format("json/pretty", schema) + "\n");
    }
}
