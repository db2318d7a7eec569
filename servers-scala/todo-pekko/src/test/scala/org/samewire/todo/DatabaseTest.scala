package org.samewire.todo

import com.github.jasync.sql.db.postgresql.exceptions.GenericDatabaseException
import com.github.jasync.sql.db.postgresql.messages.backend.ErrorMessage
import java.io.IOException
import java.util.concurrent.{CompletionException, TimeoutException}
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.jdk.CollectionConverters._

class DatabaseTest extends AnyWordSpec with Matchers {
  private def refusal(state: String) =
    new GenericDatabaseException(new ErrorMessage(Map(Char.box('C') -> state).asJava))

  private def explain(failure: Throwable) = Database.explain(new CompletionException(failure))

  "A failure" should {
    "say that the database is away" in {
      for (failure <- Seq("08006", "28P01", "3D000", "53300", "57P01").map(refusal))
        explain(failure) shouldBe a[DatabaseAway]
      explain(new IOException("reset")) shouldBe a[DatabaseAway]
    }

    "say that the database is busy" in {
      explain(refusal("57014")) shouldBe a[DatabaseBusy]
      explain(new TimeoutException("waiting in queue")) shouldBe a[DatabaseBusy]
    }

    "stay what it is if it is a fault of ours" in {
      explain(refusal("42P01")) shouldBe a[GenericDatabaseException]
    }
  }
}
