package org.samewire.chat

/** What clients send. Akka HTTP answers a `require` that fails with 400. */
final case class NewMessage(user: String, text: String) {
  NewMessage.requireName(user)
  require(NewMessage.isText(text), "text must have 1 to 500 characters, no control character")
}

/** Who opens a WebSocket. */
final case class User(name: String) {
  NewMessage.requireName(name)
}

/** What clients ask for. */
final case class Since(after: Long, user: Option[String]) {
  require(after >= 0, "after must not be negative")
  user.foreach(NewMessage.requireName)
}

object NewMessage {
  // Half of a surrogate pair is no character: UTF-8 cannot write it.
  private val Name = """[^\p{Cc}\p{Cs}]{1,32}""".r
  private val Text = """[^\p{Cc}\p{Cs}]{1,500}""".r

  private[chat] def isText(text: String): Boolean = Text.matches(text)

  private[chat] def requireName(user: String): Unit =
    require(Name.matches(user), "user must have 1 to 32 characters, no control character")
}
