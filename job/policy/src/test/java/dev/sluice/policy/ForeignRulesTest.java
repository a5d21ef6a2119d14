package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages about files of other kinds: they name the kind and the next command. */
class ForeignRulesTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "%PDF-1.4;1 0 obj | looks like a PDF document; name a text file of rules",
                "# ET;alert tcp $HOME_NET any -> any 22 (msg:\"SSH\"; sid:1;)"
                        + " | looks like rules of Suricata or Snort, which search the payload of packets; list what Sluice reads by: sluice rules formats",
                "#!/bin/sh;iptables -A INPUT -j DROP"
                        + " | looks like a script of iptables commands; run it, and dump the firewall by: iptables-save -c > host.save",
                "Chain INPUT (policy ACCEPT);target prot opt source destination"
                        + " | looks like the listing of iptables -L, which leaves conditions out; dump the firewall by: iptables-save -c > host.save",
                "create banned hash:ip family inet;add banned 10.0.0.1"
                        + " | looks like the output of ipset save alone; put the rules behind it: (ipset save; iptables-save -c) > host.save",
                "-P INPUT DROP;-N LOGDROP;-A INPUT -j LOGDROP"
                        + " | looks like the output of iptables -S, which leaves tables out; dump the firewall by: iptables-save -c > host.save",
                "NAMESPACE   NAME   READY   STATUS;shop   web-1   1/1   Running"
                        + " | looks like what kubectl prints for people; dump the cluster by: kubectl get pods,namespaces,nodes,services,networkpolicies -A -o yaml > cluster.yaml",
                "Name:         default-deny;Namespace:    shop;Spec:"
                        + " | looks like what kubectl prints for people; dump the cluster by: kubectl get pods,namespaces,nodes,services,networkpolicies -A -o yaml > cluster.yaml",
                "set system host-name r1"
                        + " | looks like a configuration of Junos; list what Sluice reads by: sluice rules formats",
                "{\"SecurityGroupRules\": []}"
                        + " | looks like rules of AWS without their groups; print them by: aws ec2 describe-security-groups > groups.json"
            })
    void aFileOfAnotherKindIsNamed(String lines, String message) throws IOException {
        Path file = folder.resolve("file");
        Files.writeString(file, lines.replace(";", "\n").replace("\n sid", "; sid"));
        assertEquals(file + ": " + message, refusal(file));
        Path packed = folder.resolve("file.gz");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            out.write(Files.readString(file).getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(packed + ": " + message, refusal(packed));
    }

    @ParameterizedTest
    @CsvSource({
        "'', 'is empty; name a file of rules, such as the output of iptables-save'",
        "'\0\1\2', 'looks like binary data; name a text file of rules; captures stand without --rules'"
    })
    void aFileWithoutTextIsNamed(String content, String message) throws IOException {
        Path file = folder.resolve("file");
        Files.writeString(file, content);
        assertEquals(file + ": " + message, refusal(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE"})
    void aTextOfPowerShellIsNamed(String charset) throws IOException {
        Path file = folder.resolve("cluster.yaml");
        Files.writeString(file, "\ufeffapiVersion: v1\r\nkind: List\r\n", Charset.forName(charset));
        assertEquals(
                file
                        + ": looks like a text in UTF-16, as PowerShell writes it; make it UTF-8 by: iconv -f UTF-16 -t UTF-8",
                refusal(file));
    }

    private static String refusal(Path file) {
        return assertThrows(SluiceException.class, () -> RuleFile.read(file, null)).getMessage();
    }
}
